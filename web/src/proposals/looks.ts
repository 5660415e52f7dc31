/** When users of this browser looked at their own proposals. */
import { createRemembered } from '../api/remembered.ts'
import { news } from './known-proposals.ts'

/** Times by the names of users. */
type Looks = Readonly<Record<string, string>>

const isLooks = (stored: unknown): stored is Looks =>
  typeof stored === 'object' && stored !== null && Object.values(stored).every((at) => typeof at === 'string')

export const looks = createRemembered<Looks>('plat.proposals-looked', (stored) => (isLooks(stored) ? stored : {}))

export const lookedAt = (username: string): void => {
  looks.set({ ...looks.get(), [username]: new Date().toISOString() })
  news.set(0)
}
