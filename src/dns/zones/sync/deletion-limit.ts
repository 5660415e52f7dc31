/** Blocks a sync that would delete too large a share of a zone. */
import type { ZoneSettings } from '../schema.ts'

/** Fewer RRsets than this may all go. */
const MIN_RRSETS_OF_LIMIT = 10

/** Returns the reason for which nothing of the zone may be sent; '' without one. */
export const checkDeletionLimit = (
  { max_delete_percent }: Pick<ZoneSettings, 'max_delete_percent'>,
  { published, gone }: { readonly published: number; readonly gone: number },
): string => {
  if (published < MIN_RRSETS_OF_LIMIT || gone * 100 <= max_delete_percent * published) return ''
  return `${gone} of ${published} RRsets would go, more than ${max_delete_percent} %; sync with force to send them`
}
