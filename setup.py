"""A wheel holds tahanuji with the files that it reads; see tahanuji/paths.py."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

READ = (
    "config/models.yaml",
    "data/registry.yaml",
    "data/lexicons/*",
    "data/prompts/*.csv",
    "data/checklist/*.csv",
    "data/checklist/*/*.csv",
    "data/validity/*.csv",
    "data/nli/suite.csv",
)


class WithFiles(build_py):
    """Copies what tahanuji reads into the package; an editable install reads it where it lies."""

    def run(self):
        super().run()
        for pattern in () if self.editable_mode else READ:
            for path in Path().glob(pattern):
                target = Path(self.build_lib, "tahanuji", "shipped", path)
                self.mkpath(str(target.parent))
                self.copy_file(str(path), str(target))


setup(cmdclass={"build_py": WithFiles})
