/** What was typed into a form and not saved, kept for the tab: a session that ends or a wrong key loses nothing. */

const nameOf = (key: string): string => `plat.draft.${key}`

export const drafts = {
  get: <T>(key: string): T | undefined => {
    try {
      const text = sessionStorage.getItem(nameOf(key))
      // Written under this key by the same form.
      return text === null ? undefined : (JSON.parse(text) as T)
    } catch {
      return undefined
    }
  },
  keep: (key: string, draft: unknown): void => {
    try {
      sessionStorage.setItem(nameOf(key), JSON.stringify(draft))
    } catch {
      // Without storage a draft lives as long as its form.
    }
  },
  drop: (key: string): void => {
    try {
      sessionStorage.removeItem(nameOf(key))
    } catch {
      // There is none then.
    }
  },
}
