"""Anyone's classifier made to break less: trained under defences, audited before and after."""
