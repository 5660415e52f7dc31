/** Takes in the hosts that scanners hear, of the networks that they listen to. */
import type { EnrolledScanner } from '../../inventory/scanners/state-row-store.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { SightingsAnswer } from '../../scanner/wire.ts'
import { listListened } from '../listening/listened.ts'
import { takeInSightings } from '../listening/sightings.ts'
import type { SightingsBody } from './api.ts'
import { readSightings } from './untrusted.ts'

/** @throws AppError VALIDATION_ERROR */
export const answerSightings = async (
  ctx: Ctx,
  { name, tags }: Pick<EnrolledScanner, 'name' | 'tags'>,
  { sightings }: SightingsBody,
): Promise<SightingsAnswer> => {
  const all = readSightings(sightings)
  const listened = new Set((await listListened(ctx, [name, ...tags])).map(({ network_id }) => network_id))
  let [accepted, dropped] = [0, 0]
  for (const { network_id: networkId, hosts } of all) {
    const taken = listened.has(networkId)
      ? await takeInSightings(ctx, { networkId, hosts })
      : { accepted: 0, dropped: hosts.length }
    accepted += taken.accepted
    dropped += taken.dropped
  }
  return { accepted, dropped }
}
