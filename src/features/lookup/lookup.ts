/** Composes the answer of a lookup: the found parts, a summary, and commands to allocate free space. */

import { ipKey } from '../../net/ip.ts'
import { type Subject, subjectOf } from '../../net/subject.ts'
import { invalidField } from '../../platform/contract/errors.ts'
import type { Permission } from '../../platform/operation/operation.ts'
import type { Config } from '../../platform/runtime/config/config.ts'
import { causeOfAddress, conflictOf } from '../conflicts/conflicts.ts'
import { type Ctx, type Feature, implement } from '../ctx.ts'
import { type Lookup, LookupPart, lookup, MAX_IN_BLOCK, MAX_OF_EACH, type LookupNetwork as Network } from './api.ts'
import { distinct, type Found, find, type May } from './find.ts'
import { waysFor } from './next-actions.ts'
import * as store from './store.ts'
import { summaryOf } from './summary.ts'

export type LookupOptions = { readonly config: Pick<Config, 'auditEnabled'> }

/** The permission that each part of an answer requires. */
const NEEDS: Readonly<Record<LookupPart, Permission>> = {
  networks: 'networks:list',
  pools: 'pools:list',
  datacenters: 'datacenters:list',
  devices: 'devices:list',
  discovered: 'discovery:list',
  reservations: 'reservations:list',
  relationships: 'relationships:list',
  conflicts: 'conflicts:list',
  changes: 'audit:list',
}

/** Lists of objects with addresses in a block. */
const IN_BLOCK: ReadonlySet<string> = new Set(['devices', 'discovered', 'reservations'])

/** The number of objects whose audit entries are read. */
const SOME_OBJECTS = 5

/** The open conflicts of the found objects. With devices withheld, the address still finds its conflict. */
const conflictsOf = async (ctx: Ctx, asked: Subject, { members, may }: { members: readonly string[]; may: May }) => {
  const ofMembers = await store.openConflictsOf(ctx, members)
  if (may('devices') || asked.kind !== 'ip') return ofMembers.map(conflictOf)
  const ofAddress = await store.openConflictsBy(ctx, [causeOfAddress(ipKey(asked.ip))])
  return [...ofAddress, ...ofMembers].map(conflictOf)
}

/** Returns the parts related to the found objects. For a block they concern its own network, not the networks in it. */
const around = async (ctx: Ctx, asked: Subject, { found, may }: { readonly found: Found; readonly may: May }) => {
  const isBlock = asked.kind === 'cidr'
  const own = found.networks.filter(({ subnet }) => !isBlock || subnet === asked.text).map(({ id }) => id)
  const deviceIds = isBlock ? [] : found.devices.map(({ id }) => id)
  const objects = isBlock ? own : [...deviceIds, ...(found.reservations ?? []).map(({ id }) => id)]
  const places = [...found.networks.slice(0, 1), ...found.devices].map(({ datacenter_id }) => datacenter_id)
  const [datacenters, relationships, conflicts, ...changes] = await Promise.all([
    may('datacenters') ? store.datacentersByIds(ctx, distinct(places)) : [],
    may('relationships') ? store.relationshipsOf(ctx, deviceIds) : [],
    may('conflicts') ? conflictsOf(ctx, asked, { members: [...deviceIds, ...own], may }) : [],
    ...(may('changes') ? objects : []).slice(0, SOME_OBJECTS).map((id) => store.changesOf(ctx, { id })),
  ])
  return {
    datacenters,
    // The table holds only the types of the contract.
    relationships: relationships as NonNullable<Lookup['relationships']>,
    conflicts,
    changes: store.newestChanges(changes.flat()),
  }
}

const sentNetwork = ({ id, name, subnet, vlan_id, datacenter_id }: store.NetworkFound): Network => ({
  ...{ id, name, subnet, vlan_id, datacenter_id },
})

const show = async (ctx: Ctx, query: string, { config }: LookupOptions): Promise<Lookup> => {
  const asked = subjectOf(query)
  if (!asked) throw invalidField('query', 'cannot be looked up')
  const withheld = LookupPart.options.filter((part) => !ctx.caller.permissions.has(NEEDS[part]))
  const may: May = (part) => !withheld.includes(part) && (part !== 'changes' || config.auditEnabled)
  const found = await find(ctx, asked, may)
  const { networks, inside = [], pools = [], devices, discovered, reservations = [], state, taken, usable } = found
  const lists = {
    networks: networks.map(sentNetwork),
    inside: inside.map(sentNetwork),
    pools,
    devices,
    discovered,
    reservations,
    ...(await around(ctx, asked, { found, may })),
  }
  const shown = Object.entries(lists).filter(([, entries]) => entries.length > 0)
  const maxOf = (list: string) => (asked.kind === 'cidr' && IN_BLOCK.has(list) ? MAX_IN_BLOCK : MAX_OF_EACH)
  const long = shown.filter(([list, entries]) => entries.length > maxOf(list)).map(([list]) => list)
  const facts = {
    query: asked.text,
    kind: asked.kind,
    ...(state === undefined ? {} : { state }),
    ...(taken === undefined ? {} : { taken }),
    ...(usable === undefined ? {} : { usable }),
    // Object.fromEntries loses the type of each list; the names stay the same.
    ...(Object.fromEntries(shown.map(([list, entries]) => [list, entries.slice(0, maxOf(list))])) as Partial<
      typeof lists
    >),
    more: distinct([...long, ...(found.cut ?? [])]),
    withheld,
  }
  const isKnown =
    state === undefined ? devices.length + discovered.length + reservations.length > 0 : state !== 'outside'
  const answer = { ...facts, known: isKnown, summary: summaryOf({ ...facts, now: ctx.now }) }
  return { ...answer, ways: ctx.isPast ? [] : waysFor(ctx, answer) }
}

export const lookupFeature = (options: LookupOptions): Feature => ({
  operations: implement(lookup, { show: (ctx, { query }) => show(ctx, query, options) }),
})
