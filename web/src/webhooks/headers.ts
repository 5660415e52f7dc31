/** Converts the headers of a webhook between form rows, which may be incomplete, and the values of the API. */

/** The server shows this instead of a value. Sending it keeps the value. */
export const MASK = '***'

export type HeaderRow = { readonly name: string; readonly value: string }

export const toRows = (headers: unknown): readonly HeaderRow[] =>
  typeof headers === 'object' && headers !== null
    ? Object.entries(headers).map(([name, value]) => ({ name, value: String(value) }))
    : []

/** Returns the text by which a form stores the rows. */
export const formatRows = (rows: readonly HeaderRow[]): string => (rows.length === 0 ? '' : JSON.stringify(rows))

export const parseRows = (text: string): readonly HeaderRow[] => {
  // The text was written by `formatRows`.
  return text === '' ? [] : (JSON.parse(text) as readonly HeaderRow[])
}

/** Empty rows are ignored. */
export const toSentHeaders = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    parseRows(text)
      .filter(({ name, value }) => name.trim() !== '' || value !== '')
      .map(({ name, value }) => [name.trim(), value]),
  )

/** Returns a repeated name, which could be sent only once. */
export const findRepeatedName = (rows: readonly HeaderRow[]): string | undefined => {
  const names = rows.map(({ name }) => name.trim().toLowerCase()).filter((name) => name !== '')
  return names.find((name, index) => names.indexOf(name) !== index)
}
