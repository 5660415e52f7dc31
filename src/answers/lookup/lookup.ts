/** Composes the answer of a lookup: the found parts, a summary, and commands to allocate free space. */

import type { Config } from '../../base/config/config.ts'
import { invalidField } from '../../contract/errors.ts'
import { buildAddressCauseKey, toConflict } from '../../inventory/conflicts/conflicts.ts'
import { isDefault } from '../../inventory/spaces/fields.ts'
import { findAllSpaces, type NamedSpace } from '../../inventory/spaces/keys.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import type { Permission } from '../../kernel/operation.ts'
import { DEFAULT_SPACE, type SpaceKey, toIpKey } from '../../net/ip.ts'
import { parseSubject, type Subject } from '../../net/subject.ts'
import { type Lookup, type LookupElsewhere, LookupPart, lookup, MAX_IN_BLOCK, MAX_OF_EACH } from './api.ts'
import { type Found, filterDistinct, find, type May, type Scope } from './find.ts'
import { findInSpaces } from './other-spaces.ts'
import { showPresence } from './presence.ts'
import { findRelationships } from './relationship-store.ts'
import * as store from './store.ts'
import { listAllowedWays } from './suggested-commands.ts'
import { formatSummary } from './summary.ts'

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

/** The number of objects with audit entries that are read. */
const MAX_OBJECTS_WITH_AUDIT = 5

/** Returns the open conflicts of the found objects. With devices withheld, the address still finds its conflict. */
const findConflicts = async (
  ctx: Ctx,
  asked: Subject,
  { members, may, space }: Scope & { members: readonly string[] },
) => {
  const ofMembers = await store.findOpenConflicts(ctx, members)
  if (may('devices') || asked.kind !== 'ip') return ofMembers.map(toConflict)
  const ofAddress = await store.openConflictsBy(ctx, [buildAddressCauseKey(toIpKey(asked.ip, space))])
  return [...ofAddress, ...ofMembers].map(toConflict)
}

/** Returns the parts related to the found objects. For a block they concern its own network, not the networks in it. */
const findRelated = async (ctx: Ctx, asked: Subject, { found, ...scope }: Scope & { readonly found: Found }) => {
  const { may } = scope
  const isBlock = asked.kind === 'cidr'
  const own = found.networks.filter(({ subnet }) => !isBlock || subnet === asked.text).map(({ id }) => id)
  const deviceIds = isBlock ? [] : found.devices.map(({ id }) => id)
  const objects = isBlock ? own : [...deviceIds, ...(found.reservations ?? []).map(({ id }) => id)]
  const places = [...found.networks.slice(0, 1), ...found.devices].map(({ datacenter_id }) => datacenter_id)
  const [datacenters, relationships, conflicts, ...changes] = await Promise.all([
    may('datacenters') ? store.datacentersByIds(ctx, filterDistinct(places)) : [],
    may('relationships') ? findRelationships(ctx, deviceIds) : [],
    may('conflicts') ? findConflicts(ctx, asked, { members: [...deviceIds, ...own], ...scope }) : [],
    ...(may('changes') ? objects : [])
      .slice(0, MAX_OBJECTS_WITH_AUDIT)
      .map((id) => store.findChanges(ctx.unscoped, { id })),
  ])
  return {
    datacenters,
    // The table holds only the types of the contract.
    relationships: relationships as NonNullable<Lookup['relationships']>,
    conflicts,
    changes: store.pickNewestChanges(changes.flat()),
  }
}

/** The space that an answer is of, and the others that know the subject. */
type Answering = {
  readonly key: SpaceKey
  readonly space?: NamedSpace | undefined
  readonly elsewhere: readonly LookupElsewhere[]
}

const ONLY_DEFAULT: Answering = { key: DEFAULT_SPACE, elsewhere: [] }

const selectSpace = async (
  ctx: Ctx,
  asked: Subject,
  { space_id, may }: { space_id: string | undefined; may: May },
): Promise<Answering> => {
  const spaces = await findAllSpaces(ctx)
  const wanted = space_id === undefined || isDefault(space_id) ? undefined : spaces.find(({ id }) => id === space_id)
  if (space_id !== undefined && !isDefault(space_id) && !wanted)
    throw invalidField('space_id', `there is no space with id "${space_id}"`)
  if (asked.kind !== 'ip' && asked.kind !== 'cidr') {
    if (space_id !== undefined) throw invalidField('space_id', 'only an address or a block is looked up in one space')
    return ONLY_DEFAULT
  }
  if (spaces.length === 0) return ONLY_DEFAULT
  const known = await findInSpaces(ctx, asked, { may, spaces })
  const key = space_id === undefined ? (known[0]?.key ?? DEFAULT_SPACE) : (wanted?.key ?? DEFAULT_SPACE)
  const elsewhere = known.filter((one) => one.key !== key).map(({ entry }) => entry)
  return { key, space: spaces.find((one) => one.key === key), elsewhere }
}

type Asked = { readonly query: string; readonly space_id?: string | undefined }

const show = async (ctx: Ctx, { query, space_id }: Asked, { config }: LookupOptions): Promise<Lookup> => {
  const asked = parseSubject(query)
  if (!asked) throw invalidField('query', 'cannot be looked up')
  const withheld = LookupPart.options.filter((part) => !ctx.caller.permissions.has(NEEDS[part]))
  const may: May = (part) => !withheld.includes(part) && (part !== 'changes' || config.auditEnabled)
  const { key, space, elsewhere } = await selectSpace(ctx, asked, { space_id, may })
  const scope = { may, space: key }
  const found = await find(ctx, asked, scope)
  const {
    networks,
    inside = [],
    pools = [],
    devices,
    discovered,
    reservations = [],
    objects = [],
    state,
    taken,
    usable,
  } = found
  const lists = {
    networks: networks.map(store.toLookupNetwork),
    inside: inside.map(store.toLookupNetwork),
    pools,
    devices,
    discovered,
    reservations,
    objects,
    ...(await findRelated(ctx, asked, { found, ...scope })),
  }
  const shown = Object.entries(lists).filter(([, entries]) => entries.length > 0)
  const getMax = (list: string) => (asked.kind === 'cidr' && IN_BLOCK.has(list) ? MAX_IN_BLOCK : MAX_OF_EACH)
  const long = shown.filter(([list, entries]) => entries.length > getMax(list)).map(([list]) => list)
  const facts = {
    query: asked.text,
    kind: asked.kind,
    ...(state === undefined ? {} : { state }),
    ...(taken === undefined ? {} : { taken }),
    ...(usable === undefined ? {} : { usable }),
    // Object.fromEntries loses the type of each list; the names stay the same.
    ...(Object.fromEntries(shown.map(([list, entries]) => [list, entries.slice(0, getMax(list))])) as Partial<
      typeof lists
    >),
    more: filterDistinct([...long, ...(found.cut ?? [])]),
    withheld,
    ...(space && { space_id: space.id }),
    ...(elsewhere.length > 0 && { elsewhere: [...elsewhere] }),
  }
  const isKnown =
    state === undefined
      ? devices.length + discovered.length + reservations.length > 0
      : objects.length > 0 || state !== 'outside'
  const summary = formatSummary({ ...facts, now: ctx.now })
  const answer = { ...facts, known: isKnown, summary: space ? `${summary}, in the space ${space.name}` : summary }
  return { ...answer, ways: ctx.isPast ? [] : await listAllowedWays(ctx, answer) }
}

export const lookupFeature = (options: LookupOptions): Feature => ({
  operations: implement(lookup, { show: (ctx, asked) => show(ctx, asked, options), presence: showPresence }),
})
