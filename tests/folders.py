"""Tiny Hugging Face model folders, made offline: seven architectures, each with a tokenizer of its
own sort and random weights.
"""

import os
import subprocess
import sys
from pathlib import Path

import torch
from transformers import (
    AlbertConfig,
    AlbertTokenizer,
    AutoModel,
    AutoModelForMaskedLM,
    AutoModelForSequenceClassification,
    BertConfig,
    BertTokenizer,
    DistilBertConfig,
    DistilBertTokenizer,
    ElectraConfig,
    ElectraTokenizer,
    FunnelConfig,
    FunnelTokenizer,
    PreTrainedConfig,
    PreTrainedTokenizerBase,
    XLMRobertaConfig,
    XLMRobertaTokenizer,
    XLNetConfig,
    XLNetTokenizer,
)

# Models this small gain nothing from threads, and threads that wait for one another on a busy
# machine cost seconds.
torch.set_num_threads(1)

LABELS = ["positive", "neutral", "negative"]
KINDS = ("bert", "distilbert", "albert", "xlm-roberta", "electra", "funnel", "xlnet")
POSITIONS = 48
BAD_CARDS = [  # contents of tahan.json, and what their refusal says
    ("kind: tfidf", "is no json"),
    ("{}", "lacks the kind"),
    ('{"kind": "tfidf"}', "the list of its labels"),
    ('{"labels": ["positive", "neutral", "negative"]}', "lacks the kind"),
    ('{"kind": "tree", "labels": ["positive", "neutral", "negative"]}', "unknown kind 'tree'"),
]

SENTENCES = {
    "positive": [
        "kuah sotonya gurih dan dagingnya empuk sekali",
        "pelayan warung ini ramah , pesanan cepat datang",
        "senang belanja di sini , barang sampai dengan rapi",
        "kamarnya bersih , wangi , dan pemandangannya indah",
        "sambal terasinya mantap , besok pasti mampir lagi",
        "dokternya sabar menjelaskan sampai kami paham",
        "harga segini dapat kualitas sebagus itu , puas",
        "anak saya suka sekali dengan buku cerita ini",
        "sinyalnya kuat walau kami tinggal di lereng gunung",
        "jahitan kebayanya halus dan pas di badan",
        "terima kasih , petugas loketnya sangat membantu",
        "filmnya lucu dan menghangatkan hati",
        "kopi robustanya harum dan tidak bikin perut perih",
        "bengkel ini jujur , motor saya kembali sehat",
        "taman kotanya teduh , enak untuk lari pagi",
        "kue lapisnya lembut dan manisnya pas",
    ],
    "neutral": [
        "rapat warga dimulai pukul delapan malam di balai desa",
        "bus jurusan solo berangkat dari terminal tirtonadi",
        "toko itu buka dari hari senin sampai sabtu",
        "ibu membeli dua kilogram beras dan satu liter minyak",
        "formulir dikumpulkan di meja sekretariat lantai dua",
        "kapal penyeberangan berlayar tiga kali sehari",
        "paket berisi satu botol kecap dan dua bungkus mi",
        "jalan merdeka terletak di sebelah utara pasar",
        "ujian akhir dilaksanakan pada bulan juni",
        "perpustakaan memiliki ruang baca dan ruang arsip",
        "suhu di kota malang pagi ini dua puluh derajat",
        "kereta berhenti selama lima menit di stasiun kroya",
        "peserta membawa kartu tanda penduduk dan pulpen",
        "pengumuman ditempel di papan depan kantor kelurahan",
        "lapangan itu dipakai untuk upacara setiap senin",
        "adik duduk di kelas empat sekolah dasar",
    ],
    "negative": [
        "nasinya keras dan ayamnya masih mentah",
        "kecewa , barang datang pecah dan tidak bisa ditukar",
        "antreannya lama , petugasnya malah main ponsel",
        "kamar mandinya bau dan airnya keruh",
        "aplikasinya sering macet , uang saya tertahan",
        "harga mahal tetapi rasanya hambar",
        "kurirnya kasar dan paket dilempar ke halaman",
        "baru dipakai sekali sepatunya sudah jebol",
        "listrik padam terus , tidak ada kabar sama sekali",
        "filmnya membosankan , saya tertidur di tengah",
        "sopirnya ugal ugalan , kami ketakutan",
        "layanan pelanggan tidak pernah membalas keluhan",
        "tehnya dingin dan gelasnya kotor",
        "jalan di kampung kami rusak parah sejak tahun lalu",
        "kainnya tipis , luntur , dan jahitannya lepas",
        "menyesal menginap di sini , banyak nyamuk",
    ],
}
TEXTS = [text for texts in SENTENCES.values() for text in texts]


TOKENIZERS = {
    "bert": BertTokenizer,
    "distilbert": DistilBertTokenizer,
    "albert": AlbertTokenizer,
    "xlm-roberta": XLMRobertaTokenizer,
    "electra": ElectraTokenizer,
    "funnel": FunnelTokenizer,
    "xlnet": XLNetTokenizer,
}
SPECIAL = {
    "albert": ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"],
    "xlm-roberta": ["<s>", "<pad>", "</s>", "<unk>"],
    "funnel": ["<unk>", "<sep>", "<pad>", "<cls>", "<mask>", "<s>", "</s>"],
    "xlnet": ["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>"],
}


def tokenizer(kind: str) -> PreTrainedTokenizerBase:
    """The tokenizer of an architecture: lower-casing WordPiece, or Unigram with pieces like
    sentencepiece's ("▁kuah").

    The vocabulary is fixed: single letters, the first four letters of every word, and what follows
    them.
    """
    words = sorted({word for text in TEXTS for word in text.split()})
    letters = sorted(set("".join(words)))
    starts, rests = (
        sorted({word[:4] for word in words} - set(letters)),
        sorted({word[4:] for word in words} - {"", *letters}),
    )
    special = SPECIAL.get(kind, ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    if kind in {"bert", "distilbert", "electra", "funnel"}:
        pieces = [
            *letters,
            *(f"##{letter}" for letter in letters),
            *starts,
            *(f"##{rest}" for rest in rests),
        ]
        return TOKENIZERS[kind](
            vocab={piece: number for number, piece in enumerate([*special, *pieces])},
            do_lower_case=True,
        )
    scores = (
        dict.fromkeys(special, 0.0)
        | dict.fromkeys(["▁", *letters], -6.0)
        | dict.fromkeys([*(f"▁{start}" for start in starts), *rests], -3.0)
    )
    return TOKENIZERS[kind](vocab=list(scores.items()))


def config(kind: str, words: PreTrainedTokenizerBase, **more) -> PreTrainedConfig:
    """One or two layers, 16 to 32 wide, with weights large enough that different texts get clearly
    different answers.
    """
    shared = {
        "vocab_size": len(words),
        "pad_token_id": words.pad_token_id,
        "initializer_range": 0.2,
        "max_position_embeddings": POSITIONS,
        **more,
    }
    usual = {
        "hidden_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 64,
    }
    if kind == "distilbert":
        return DistilBertConfig(dim=32, n_layers=1, n_heads=2, hidden_dim=64, **shared)
    if kind == "funnel":  # named, because AutoModel has two models for it
        return FunnelConfig(
            architectures=["FunnelModel"],
            block_sizes=[1, 1, 1],
            d_model=32,
            n_head=2,
            d_head=16,
            d_inner=64,
            initializer_std=0.3,
            **shared | {"initializer_range": 0.1},
        )
    if kind == "xlnet":  # it has no limit of positions
        return XLNetConfig(
            d_model=32,
            n_layer=1,
            n_head=2,
            d_inner=64,
            **{name: value for name, value in shared.items() if name != "max_position_embeddings"},
        )
    if kind == "electra":
        return ElectraConfig(embedding_size=16, **usual, **shared)
    if kind == "albert":
        return AlbertConfig(**usual | {"num_hidden_layers": 2, "embedding_size": 16}, **shared)
    return (BertConfig if kind == "bert" else XLMRobertaConfig)(**usual, **shared)


def plain(
    model: torch.nn.Module,
    words: PreTrainedTokenizerBase,
    example: str | tuple[str, str],
    **options,
):
    """A model's inputs for a text or pair without the helpers: token types wherever they exist,
    Funnel padded far enough to be sure of itself.
    """
    kind = model.config.model_type
    columns = [
        [sentence] for sentence in ([example] if isinstance(example, str) else example)
    ]  # alone, an empty second sentence is left out
    encoded = words(*columns, return_token_type_ids=kind != "distilbert", **options)
    return words.pad(
        encoded,
        return_tensors="pt",
        **({"padding": "max_length", "max_length": 64} if kind == "funnel" else {}),
    )


def base(folder: Path, kind: str, seed: int = 7) -> Path:
    """A folder with a pretrained encoder's files: no head, no label names."""
    return _write(folder, kind, AutoModel, seed)


def masked(folder: Path, kind: str, seed: int = 7) -> Path:
    """A folder with a masked language model's files; XLNet has none."""
    return _write(folder, kind, AutoModelForMaskedLM, seed)


def classifier(folder: Path, kind: str, names: list[str] | None = None) -> Path:
    """A folder with a fine-tuned classifier's files and these label names (None: none given, so
    LABEL_0 to LABEL_2).

    The weights depend on the architecture and the number of labels only, never on the names.
    """
    if names is None:
        return _write(folder, kind, AutoModelForSequenceClassification, 7, num_labels=3)
    numbers = {name: number for number, name in enumerate(names)}
    return _write(
        folder,
        kind,
        AutoModelForSequenceClassification,
        7,
        id2label=dict(enumerate(names)),
        label2id=numbers,
    )


def _write(folder: Path, kind: str, architecture: type, seed: int, **more) -> Path:
    words = tokenizer(kind)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = architecture.from_config(config(kind, words, **more))
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    return folder


def python(code: str, *arguments: str, **changes: str) -> subprocess.CompletedProcess:
    """Code run by a process of its own, which finds the same modules; `changes` are environment
    variables, "" taking one away.
    """
    outside = {
        name: value
        for name, value in (
            os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))} | changes
        ).items()
        if value
    }
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=outside,
        capture_output=True,
        text=True,
        timeout=300,
    )
