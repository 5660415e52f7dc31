/** `ipam/prefixes/{id}/available-prefixes`: the free blocks of a network, and networks that are made of them. */

import { AppError } from '../../../contract/errors.ts'
import type { Network } from '../../../inventory/networks/api.ts'
import { MAX_SUBNETS } from '../../../inventory/networks/planning-api.ts'
import { findFreeBlocks } from '../../../inventory/networks/tree.ts'
import { formatCidr } from '../../../net/cidr.ts'
import { getAddressBits } from '../../../net/ip.ts'
import { respondJson } from '../../door/answers.ts'
import { runItem } from '../../door/body.ts'
import type { Handle } from '../../door/call.ts'
import { createTooFewError, NO_FIELD, refuseField } from '../../door/errors.ts'
import { Draft, type RunOperation, type Sent } from '../../endpoint/draft.ts'
import { findOne } from '../../list/list.ts'
import { getFamily } from '../../world/addresses.ts'
import { nestVrf } from '../../world/nested.ts'
import { World } from '../../world/world.ts'
import { answerKeys, fillDraft, openWorld, readNote } from '../../write/write.ts'
import type { PrefixItem } from './prefix-items.ts'
import { prefixes } from './prefixes.ts'

export const answerFreeBlocks: Handle = async (ctx, call) => {
  const world = new World(ctx, call.links)
  await prefixes.prepare(world)
  const { network } = await findOne(world, prefixes, call.params.id)
  const blocks = await findFreeBlocks(ctx, network.id)
  const vrf = nestVrf(world, network.space_id)
  await world.settle()
  return respondJson(
    call,
    blocks.map((block) => ({ family: block.family, prefix: formatCidr(block), vrf })),
  )
}

/** @throws NetboxError unless it is the length of a subnet */
const readLength = ({ prefix_length: length }: Sent, { network: { subnet }, prefix }: PrefixItem): number => {
  if (length === undefined || length === null) throw refuseField('prefix_length', 'this field can not be missing')
  if (typeof length !== 'number' || !Number.isInteger(length))
    throw refuseField('prefix_length', 'this field must be int type')
  const family = getFamily(subnet)
  if (length < 0 || length > getAddressBits(family))
    throw refuseField('prefix_length', `Invalid prefix length (${length}) for IPv${family}`)
  if (length <= prefix) throw createTooFewError()
  return length
}

/** @throws NetboxError 409 for a network without room for one more */
const allocate = async (draft: Draft<PrefixItem>, input: object): Promise<string> => {
  try {
    // The answer of the operation.
    const made = (await draft.run('networks.allocate', input)) as { readonly networks: readonly Network[] }
    return made.networks[0]?.id ?? ''
  } catch (error) {
    throw error instanceof AppError && error.code === 'IP_NOT_AVAILABLE' ? createTooFewError() : error
  }
}

/** The block and its VRF follow from the parent. */
const FOLLOWING: ReadonlySet<string> = new Set(['prefix', 'vrf'])

export const createAllocation =
  (run: RunOperation): Handle =>
  async (_, call) => {
    const body = await call.readBody()
    if (body.items.length > MAX_SUBNETS)
      throw refuseField(NO_FIELD, `At most ${MAX_SUBNETS} prefixes are allocated in one request.`)
    const { id = '' } = call.params
    call.audit.note({ changes: body.isList ? body.items : body.items[0], resourceId: id })
    const answers = await call.write(async (tx) => {
      const writing = { call, endpoint: prefixes, run }
      const world = await openWorld(tx, writing)
      const parent = await findOne(world, prefixes, id)
      const keys: string[] = []
      for (const [index, item] of body.items.entries()) {
        const sent = Object.fromEntries(Object.entries(item).filter(([name]) => !FOLLOWING.has(name)))
        const draft = new Draft<PrefixItem>({ world, tx, run, item: undefined, sent })
        const make = async () => {
          const prefix_length = readLength(sent, parent)
          draft.input.datacenter_id = parent.network.datacenter_id
          await fillDraft(prefixes, draft, false)
          return allocate(draft, { ...draft.input, id: parent.network.id, prefix_length, count: 1 })
        }
        keys.push(await runItem({ index, body, names: draft.names }, make))
      }
      return answerKeys(tx, writing, keys)
    }, readNote(body))
    return respondJson(call, body.isList ? answers : answers[0], { status: 201 })
  }
