/** When users of this browser looked at their own proposals. */
import { createRememberedTexts } from '../api/remembered-texts.ts'
import { news } from './known-proposals.ts'

/** Times by the names of users. */
export const looks = createRememberedTexts('plat.proposals-looked')

export const lookedAt = (username: string): void => {
  looks.set({ ...looks.get(), [username]: new Date().toISOString() })
  news.set(0)
}
