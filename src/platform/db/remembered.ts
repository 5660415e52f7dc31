/** Rows that were read a moment ago, as long as no commit has touched their table. */

/** Entries of a table; the one that was read first goes first. */
const MAX_ENTRIES = 8192
/** Characters of a text that is worth its room: all of them together stay within some ten megabytes. */
const MAX_LENGTH = 4096

type Read = () => Promise<string | undefined>
type Texts = { readonly commit: number; readonly texts: Map<string, string> }

/**
 * Remembers texts by table and key.
 * @param commits how many commits have touched a table
 */
export const createRemembered = (
  commits: (table: string) => number,
): ((table: string, key: string, read: Read) => string | Promise<string | undefined>) => {
  const tables = new Map<string, Texts>()
  return (table, key, read) => {
    const commit = commits(table)
    let known = tables.get(table)
    if (known?.commit !== commit) {
      // A new map, never an emptied one: a read that began before the commit ends in the old one.
      known = { commit, texts: new Map() }
      tables.set(table, known)
    }
    const { texts } = known
    const text = texts.get(key)
    if (text !== undefined) return text
    return read().then((found) => {
      if (found === undefined || found.length > MAX_LENGTH) return found
      const [oldest] = texts.keys()
      if (oldest !== undefined && texts.size >= MAX_ENTRIES) texts.delete(oldest)
      texts.set(key, found)
      return found
    })
  }
}
