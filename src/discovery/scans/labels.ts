/** The scanners that a network names by its label, for scans of the network. */
import type { FieldIssue } from '../../contract/errors.ts'
import type { Network } from '../../inventory/networks/api.ts'
import { listAnswering } from '../../inventory/scanners/state-store.ts'
import type { Ctx } from '../../kernel/ctx.ts'

type Labelled = Pick<Network, 'scanner'>

/** Returns the reason why no scanner would take a scan of a network; undefined for a network of the server. */
export const findLabelIssue = async (ctx: Ctx, { scanner }: Labelled): Promise<FieldIssue | undefined> => {
  if (scanner === '' || (await listAnswering(ctx, scanner)).length > 0) return undefined
  return { field: 'scanner', message: `no enrolled scanner has the name or the tag "${scanner}"` }
}

/** Names in a text. */
const MAX_NAMED = 3

/** Returns the note of a scan that waits, because all scanners of its network are offline. */
export const formatWait = async (ctx: Ctx, { scanner }: Labelled): Promise<string | undefined> => {
  const answering = scanner === '' ? [] : await listAnswering(ctx, scanner)
  const [first, ...others] = answering
  if (!first || answering.some(({ is_online }) => is_online)) return undefined
  if (others.length === 0) return `waits for the scanner "${first.name}", which is offline`
  const named = answering.slice(0, MAX_NAMED).map(({ name }) => `"${name}"`)
  const more = answering.length - named.length
  return `waits for one of the scanners ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}, which are offline`
}
