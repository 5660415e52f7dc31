/** The part of a URL behind the `?`, as this UI writes it: everything in it is text, and people can read it. */

/** The router's own way would read a filter of 10 as a number. */
export const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text))

export const stringifySearch = (search: Readonly<Record<string, unknown>>): string => {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) if (value !== undefined) params.set(name, String(value))
  // What need not be escaped is read by people.
  const text = params.toString().replace(/%3A/g, ':').replace(/%2F/g, '/').replace(/%2C/g, ',')
  return text === '' ? '' : `?${text}`
}
