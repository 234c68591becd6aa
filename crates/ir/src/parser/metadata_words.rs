//! The kinds of metadata nodes with their fields, and the words that stand as values in them.

/// The fields of each kind of node.
const NODES: &[(&str, &[&str])] = &[
    (
        "DILocation",
        &["line", "column", "scope", "inlinedAt", "isImplicitCode"],
    ),
    (
        "DIDerivedType",
        &[
            "tag",
            "name",
            "scope",
            "file",
            "line",
            "baseType",
            "size",
            "align",
            "offset",
            "flags",
            "extraData",
            "dwarfAddressSpace",
            "annotations",
            "ptrAuthKey",
            "ptrAuthIsAddressDiscriminated",
            "ptrAuthExtraDiscriminator",
            "ptrAuthIsaPointer",
            "ptrAuthAuthenticatesNullValues",
        ],
    ),
    (
        "DILocalVariable",
        &[
            "name",
            "arg",
            "scope",
            "file",
            "line",
            "type",
            "flags",
            "align",
            "annotations",
        ],
    ),
    ("DIExpression", &[]),
    ("DILexicalBlock", &["scope", "file", "line", "column"]),
    (
        "DISubprogram",
        &[
            "scope",
            "name",
            "linkageName",
            "file",
            "line",
            "type",
            "scopeLine",
            "containingType",
            "virtualIndex",
            "thisAdjustment",
            "flags",
            "spFlags",
            "isOptimized",
            "isLocal",
            "isDefinition",
            "virtuality",
            "unit",
            "templateParams",
            "declaration",
            "retainedNodes",
            "thrownTypes",
            "annotations",
            "targetFuncName",
        ],
    ),
    ("DISubroutineType", &["flags", "cc", "types"]),
    (
        "DICompositeType",
        &[
            "tag",
            "name",
            "scope",
            "file",
            "line",
            "baseType",
            "size",
            "align",
            "offset",
            "flags",
            "elements",
            "runtimeLang",
            "vtableHolder",
            "templateParams",
            "identifier",
            "discriminator",
            "dataLocation",
            "associated",
            "allocated",
            "rank",
            "annotations",
        ],
    ),
    (
        "DISubrange",
        &["count", "lowerBound", "upperBound", "stride"],
    ),
    (
        "DIGenericSubrange",
        &["count", "lowerBound", "upperBound", "stride"],
    ),
    ("DIEnumerator", &["name", "value", "isUnsigned"]),
    (
        "DIBasicType",
        &["tag", "name", "size", "align", "encoding", "flags"],
    ),
    (
        "DIStringType",
        &[
            "tag",
            "name",
            "stringLength",
            "stringLengthExpression",
            "stringLocationExpression",
            "size",
            "align",
            "encoding",
        ],
    ),
    (
        "DIFile",
        &[
            "filename",
            "directory",
            "checksumkind",
            "checksum",
            "source",
        ],
    ),
    (
        "DICompileUnit",
        &[
            "language",
            "file",
            "producer",
            "isOptimized",
            "flags",
            "runtimeVersion",
            "splitDebugFilename",
            "emissionKind",
            "enums",
            "retainedTypes",
            "globals",
            "imports",
            "macros",
            "dwoId",
            "splitDebugInlining",
            "debugInfoForProfiling",
            "nameTableKind",
            "rangesBaseAddress",
            "sysroot",
            "sdk",
        ],
    ),
    ("DILexicalBlockFile", &["scope", "file", "discriminator"]),
    (
        "DICommonBlock",
        &["scope", "declaration", "name", "file", "line"],
    ),
    ("DINamespace", &["scope", "name", "exportSymbols"]),
    ("DIMacro", &["type", "line", "name", "value"]),
    ("DIMacroFile", &["type", "line", "file", "nodes"]),
    (
        "DIModule",
        &[
            "scope",
            "name",
            "configMacros",
            "includePath",
            "apinotes",
            "file",
            "line",
            "isDecl",
        ],
    ),
    ("DITemplateTypeParameter", &["name", "type", "defaulted"]),
    (
        "DITemplateValueParameter",
        &["tag", "name", "type", "defaulted", "value"],
    ),
    (
        "DIGlobalVariable",
        &[
            "scope",
            "name",
            "linkageName",
            "file",
            "line",
            "type",
            "isLocal",
            "isDefinition",
            "templateParams",
            "declaration",
            "align",
            "annotations",
        ],
    ),
    ("DIGlobalVariableExpression", &["var", "expr"]),
    ("DILabel", &["scope", "name", "file", "line"]),
    (
        "DIObjCProperty",
        &[
            "name",
            "file",
            "line",
            "setter",
            "getter",
            "attributes",
            "type",
        ],
    ),
    (
        "DIImportedEntity",
        &["tag", "scope", "entity", "file", "line", "name", "elements"],
    ),
    ("DIAssignID", &[]),
    ("GenericDINode", &["tag", "header", "operands"]),
];

pub(super) fn fields_of(kind: &str) -> Option<&'static [&'static str]> {
    NODES
        .iter()
        .find(|(name, _)| *name == kind)
        .map(|(_, fields)| *fields)
}

/// Families of words: DWARF's constants and LLVM's flags.
const VALUE_PREFIXES: &[&str] = &["DW_", "DIFlag", "DISPFlag", "CSK_"];

/// Truth values, kinds of emission, kinds of name tables.
const VALUE_WORDS: &[&str] = &[
    "true",
    "false",
    "NoDebug",
    "FullDebug",
    "LineTablesOnly",
    "DebugDirectivesOnly",
    "Default",
    "GNU",
    "None",
    "Apple",
];

pub(super) fn is_value_word(word: &str) -> bool {
    VALUE_PREFIXES.iter().any(|prefix| word.starts_with(prefix)) || VALUE_WORDS.contains(&word)
}

pub(super) fn is_expression_word(word: &str) -> bool {
    word.starts_with("DW_OP_") || word.starts_with("DW_ATE_")
}
