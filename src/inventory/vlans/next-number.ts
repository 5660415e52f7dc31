/** The next free VLAN number of a datacenter and a group. */
import { invalidField } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { toNameKey } from '../../net/name-order.ts'
import { buildNoneLeftError } from '../../resource/custom/next.ts'
import { checkNext, parseNext } from '../../resource/custom/next-text.ts'
import { vlanFacts } from './resource.ts'

const { min, max } = vlanFacts.fields.vlan_id

/** The number 1 is the default VLAN of switches (IEEE 802.1Q), and is only taken if it is asked for. */
const FIRST = 2

type Place = { readonly datacenter_id: string | null; readonly group: string }

const findTaken = async (ctx: Ctx, { datacenter_id, group }: Place): Promise<Set<number>> => {
  const all = ctx.unscoped.db.selectFrom('vlans').select('vlan_id').where('group_key', '=', toNameKey(group))
  const rows =
    datacenter_id === null ? all.where('datacenter_id', 'is', null) : all.where('datacenter_id', '=', datacenter_id)
  return new Set((await rows.execute()).map(({ vlan_id }) => vlan_id))
}

/**
 * Returns the lowest number that no VLAN of the place has until commit.
 * @param text `next` or `next:100-199`
 * @throws AppError VALIDATION_ERROR for bounds outside of 1 to 4094, IP_NOT_AVAILABLE if none is left
 */
export const takeNextNumber = async (ctx: Ctx, text: string, place: Place): Promise<number> => {
  const range = parseNext(text) ?? {}
  const message = checkNext(range, { minimum: min, maximum: max })
  if (message !== undefined) throw invalidField('vlan_id', message)
  const { from = FIRST, to = max } = range
  // Callers wait for each other, and then see the numbers of the ones before.
  await ctx.lock('values', [`vlans ${place.datacenter_id ?? ''} ${toNameKey(place.group)} next`])
  const taken = await findTaken(ctx, place)
  for (let number = from; number <= to; number++) if (!taken.has(number)) return number
  throw buildNoneLeftError('vlan_id', { from, to })
}
