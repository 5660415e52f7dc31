/** The timeline of a primary, which rises with each promotion, as the beginning of each revision. */

/** The timeline of the log that the server writes, as SQL text; it takes no disk access. An error on a standby. */
export const TIMELINE = 'left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)'

const END = '/'

/** The prefix as SQL text. */
export const TIMELINE_PREFIX = `${TIMELINE} || '${END}'`

/** @example splitRevision('00000002/17.4') // { timeline: '00000002', counts: '17.4' } */
export const splitRevision = (revision: string): { readonly timeline: string; readonly counts: string } => {
  const at = revision.indexOf(END)
  return { timeline: revision.slice(0, Math.max(0, at)), counts: revision.slice(at + 1) }
}
