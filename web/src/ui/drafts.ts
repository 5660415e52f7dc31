/** Unsaved form input, stored for the tab, so that the end of a session or a wrong key loses nothing. */

const buildName = (key: string): string => `plat.draft.${key}`

export const drafts = {
  get: <T>(key: string): T | undefined => {
    try {
      const text = sessionStorage.getItem(buildName(key))
      // The same form wrote this key.
      return text === null ? undefined : (JSON.parse(text) as T)
    } catch {
      return undefined
    }
  },
  keep: (key: string, draft: unknown): void => {
    try {
      sessionStorage.setItem(buildName(key), JSON.stringify(draft))
    } catch {
      // A draft lasts as long as its form if there is no storage.
    }
  },
  drop: (key: string): void => {
    try {
      sessionStorage.removeItem(buildName(key))
    } catch {
      // No draft exists if there is no storage.
    }
  },
}
