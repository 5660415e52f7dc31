/** The headers of a webhook as they are typed: rows, some of them not finished; and as they are sent. */

/** What the server shows of a value. Sent back, it keeps the value. */
export const MASK = '***'

export type HeaderRow = { readonly name: string; readonly value: string }

export const rowsOf = (headers: unknown): readonly HeaderRow[] =>
  typeof headers === 'object' && headers !== null
    ? Object.entries(headers).map(([name, value]) => ({ name, value: String(value) }))
    : []

/** The text that a form keeps of them. */
export const textOf = (rows: readonly HeaderRow[]): string => (rows.length === 0 ? '' : JSON.stringify(rows))

export const parseRows = (text: string): readonly HeaderRow[] => {
  // Written by `textOf`.
  return text === '' ? [] : (JSON.parse(text) as readonly HeaderRow[])
}

/** Rows without anything in them are not meant. */
export const sentHeaders = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    parseRows(text)
      .filter(({ name, value }) => name.trim() !== '' || value !== '')
      .map(({ name, value }) => [name.trim(), value]),
  )

/** What a name says twice would be sent once. */
export const repeatedName = (rows: readonly HeaderRow[]): string | undefined => {
  const names = rows.map(({ name }) => name.trim().toLowerCase()).filter((name) => name !== '')
  return names.find((name, index) => names.indexOf(name) !== index)
}
