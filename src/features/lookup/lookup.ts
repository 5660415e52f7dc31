/** The answer of a lookup: what was found, each part for whoever may read it, in words, and how to take what is free. */

import { type Subject, subjectOf } from '../../net/subject.ts'
import type { Config } from '../../platform/config.ts'
import { invalidField } from '../../platform/errors.ts'
import type { Permission } from '../../platform/operation.ts'
import { conflictOf } from '../conflicts/conflicts.ts'
import { type Ctx, type Feature, implement } from '../ctx.ts'
import { type Lookup, LookupPart, lookup, MAX_IN_BLOCK, MAX_OF_EACH, type LookupNetwork as Network } from './api.ts'
import { distinct, type Found, find } from './find.ts'
import * as store from './store.ts'
import { summaryOf } from './summary.ts'
import { waysFor } from './ways.ts'

export type LookupOptions = { readonly config: Pick<Config, 'auditEnabled'> }

/** What each part of an answer asks of the caller. */
const NEEDS: Readonly<Record<LookupPart, Permission>> = {
  networks: 'networks:read',
  pools: 'pools:read',
  datacenters: 'datacenters:read',
  devices: 'devices:read',
  discovered: 'discovery:read',
  reservations: 'reservations:read',
  relationships: 'relationships:list',
  conflicts: 'conflicts:list',
  changes: 'audit:list',
}

/** Lists of what has addresses in a block. */
const IN_BLOCK: ReadonlySet<string> = new Set(['devices', 'discovered', 'reservations'])

/** Objects whose history is looked at. */
const SOME_OBJECTS = 5

/** What there is about what was found. Of a block that is its own network, and not whatever lies in it. */
const around = async (ctx: Ctx, asked: Subject, found: Found) => {
  const isBlock = asked.kind === 'cidr'
  const own = found.networks.filter(({ subnet }) => !isBlock || subnet === asked.text).map(({ id }) => id)
  const deviceIds = isBlock ? [] : found.devices.map(({ id }) => id)
  const objects = isBlock ? own : [...deviceIds, ...(found.reservations ?? []).map(({ id }) => id)]
  const places = [...found.networks.slice(0, 1), ...found.devices].map(({ datacenter_id }) => datacenter_id)
  const [datacenters, relationships, conflicts, ...changes] = await Promise.all([
    store.datacentersByIds(ctx, distinct(places)),
    store.relationshipsOf(ctx, deviceIds),
    store.openConflictsOf(ctx, [...deviceIds, ...own]),
    ...objects.slice(0, SOME_OBJECTS).map((id) => store.changesOf(ctx, { id })),
  ])
  return {
    datacenters,
    // The table knows no other types than those of the contract.
    relationships: relationships as NonNullable<Lookup['relationships']>,
    conflicts: conflicts.map(conflictOf),
    changes: store.newestChanges(changes.flat()),
  }
}

const sentNetwork = ({ id, name, subnet, vlan_id, datacenter_id }: store.NetworkFound): Network => ({
  ...{ id, name, subnet, vlan_id, datacenter_id },
})

const show = async (ctx: Ctx, query: string, { config }: LookupOptions): Promise<Lookup> => {
  const asked = subjectOf(query)
  if (!asked) throw invalidField('query', 'is nothing that can be looked up')
  const found = await find(ctx, asked)
  const { networks, inside = [], pools = [], devices, discovered, reservations = [], state, taken, usable } = found
  const lists = {
    networks: networks.map(sentNetwork),
    inside: inside.map(sentNetwork),
    pools,
    devices,
    discovered,
    reservations,
    ...(await around(ctx, asked, found)),
  }
  const withheld = LookupPart.options.filter((part) => !ctx.caller.permissions.has(NEEDS[part]))
  const isShown = (list: string): boolean => {
    if (list === 'changes' && !config.auditEnabled) return false
    return !withheld.some((part) => part === (list === 'inside' ? 'networks' : list))
  }
  const shown = Object.entries(lists).filter(([list, entries]) => isShown(list) && entries.length > 0)
  const maxOf = (list: string) => (asked.kind === 'cidr' && IN_BLOCK.has(list) ? MAX_IN_BLOCK : MAX_OF_EACH)
  const long = shown.filter(([list, entries]) => entries.length > maxOf(list)).map(([list]) => list)
  const facts = {
    query: asked.text,
    kind: asked.kind,
    ...(state === undefined ? {} : { state }),
    ...(taken === undefined ? {} : { taken }),
    ...(usable === undefined ? {} : { usable }),
    // Object.fromEntries loses which list is under which name; they keep their names.
    ...(Object.fromEntries(shown.map(([list, entries]) => [list, entries.slice(0, maxOf(list))])) as Partial<
      typeof lists
    >),
    more: distinct([...long, ...(found.cut ?? []).filter(isShown)]),
    withheld,
  }
  const isKnown =
    state === undefined ? devices.length + discovered.length + reservations.length > 0 : state !== 'outside'
  const answer = { ...facts, known: isKnown, summary: summaryOf(facts) }
  return { ...answer, ways: waysFor(ctx, answer) }
}

export const lookupFeature = (options: LookupOptions): Feature => ({
  operations: implement(lookup, { show: (ctx, { query }) => show(ctx, query, options) }),
})
