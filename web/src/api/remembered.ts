/** Values that the browser remembers: stores whose value is kept in `localStorage`. */
import { createStore, type Store } from './store.ts'

const load = (key: string): unknown => {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null')
  } catch {
    return null
  }
}

/** @param parse reads the stored value, which is null at first and may be anything */
export const createRemembered = <T>(key: string, parse: (stored: unknown) => T): Store<T> => {
  const store = createStore(parse(load(key)))
  const set = (value: T) => {
    store.set(value)
    try {
      localStorage.setItem(key, JSON.stringify(value))
    } catch {
      // A browser without storage keeps the value as long as the page.
    }
  }
  return { ...store, set }
}
