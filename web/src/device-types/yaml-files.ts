/** Several files of YAML as one text of several documents. */

/** Joins files. A file may begin with the mark of a document, and may lack the end of its last line. */
export const joinDocuments = (texts: readonly string[]): string =>
  texts
    .map((text) => text.replace(/^\ufeff/, '').trimEnd())
    .filter((text) => text !== '')
    .map((text) => (/^---(\s|$)/.test(text) ? text : `---\n${text}`))
    .join('\n')
    .concat('\n')
