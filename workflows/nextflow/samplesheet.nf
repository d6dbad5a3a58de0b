// What both pipelines read: parameters that fit nextflow_schema.json, and rows that fit assets/schema_input.json.

def readJson(file) {
    return new groovy.json.JsonSlurper().parse(file)
}

/** The cells of a row that name something, as options of svc-download. */
def selection(row, filetypes) {
    def names = [analysis: 'analysisIds', sample: 'sampleIds', lims: 'limsIds', range: 'range']
    def chosen = names
        .findAll { column, _option -> row[column] }
        .collectEntries { column, option -> [option, column == 'range' ? row[column] : row[column].tokenize(';')] }
    return chosen + [filetypes: (row.filetypes ?: filetypes).tokenize(';,')]
}

/** One sentence for each thing that is wrong with a value; `rules` is a JSON schema of a text or a number. */
def complaints(name, value, rules) {
    if (value == null) {
        return []
    }
    def wrong = []
    if (rules.type == 'boolean' && !(value instanceof Boolean)) {
        wrong.add("${name} must be true or false, not ${value}")
    }
    if (rules.type == 'integer' && !(value instanceof Integer)) {
        wrong.add("${name} must be a whole number, not ${value}")
    }
    if (rules['enum'] && !(value in rules['enum'])) {
        wrong.add("${name} must be one of ${rules['enum'].join(', ')}, not ${value}")
    }
    if (rules.pattern && !(value.toString() ==~ rules.pattern)) {
        wrong.add("${name} is '${value}': ${rules.errorMessage ?: "it must fit ${rules.pattern}"}")
    }
    return wrong
}

/** Ends the run with one message when a parameter is unknown, missing or wrong. */
def checkParams(given, schemaFile, required) {
    def known = readJson(schemaFile)['$defs'].values().collectMany { group -> group.properties.entrySet() }.collectEntries { entry -> [entry.key, entry.value] }
    def unknown = given.keySet().findAll { name -> !known.containsKey(name) }.collect { name -> "unknown parameter --${name}" }
    def missing = required.findAll { names -> !names.any { name -> given[name] } }.collect { names -> "missing parameter --${names.join(' or --')}" }
    def wrong = known.collectMany { name, rules -> complaints("--${name}", given[name], rules) }
    def all = unknown + missing + wrong
    if (all) {
        error("Parameters: ${all.join('; ')}")
    }
}

/** The rows of the sample sheet as [meta, selection, bed]. */
def readSamplesheet(path, schemaFile, filetypes) {
    def sheet = file(path, checkIfExists: true)
    def rules = readJson(schemaFile).items.properties
    def rows = sheet.splitCsv(header: true, strip: true)
    def wrong = rows.withIndex().collectMany { row, at ->
        def line = "line ${at + 2}"
        def strange = row.keySet().findAll { column -> !rules.containsKey(column) }.collect { column -> "${line}: unknown column ${column}" }
        def nobody = row.id ? [] : ["${line}: no id"]
        def nothing = row.analysis || row.sample || row.lims ? [] : ["${line}: neither analysis nor sample nor lims"]
        strange + nobody + nothing + rules.collectMany { column, rule -> complaints("${line}: ${column}", row[column] ?: null, rule) }
    }
    def twice = rows.countBy { row -> row.id }.findAll { _id, count -> count > 1 }.keySet().collect { id -> "id ${id} comes twice" }
    if (!rows) {
        wrong.add('no rows')
    }
    if (wrong + twice) {
        error("${path}: ${(wrong + twice).join('; ')}")
    }
    return rows.collect { row ->
        [[id: row.id], selection(row, filetypes), row.bed ? file(sheet.parent.resolve(row.bed), checkIfExists: true) : []]
    }
}
