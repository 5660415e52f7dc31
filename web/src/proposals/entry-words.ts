/** The sentence of an entry of a timeline. In a separate file, because each page may tell of one. */
import type { Contracts, Out } from '../api/contracts.ts'

export type TimelineEntry = Out<Contracts['proposals']['timeline']>[number]

/** The words for entries, behind the name of their user. */
const DONE: Readonly<Record<TimelineEntry['type'], string>> = {
  opened: 'opened it for review',
  commented: 'commented',
  changed: 'changed its operations',
  moved: 'The estate has moved on: it would do something else now',
  approved: 'approved it',
  rejected: 'rejected it',
  closed: 'closed it',
  merged: 'merged it',
}

/** @param username '' for the server */
export const formatEntry = ({ type, username }: Pick<TimelineEntry, 'type' | 'username'>): string =>
  type === 'moved' ? `${DONE.moved}.` : `${username === '' ? 'Plat' : username} ${DONE[type]}.`
