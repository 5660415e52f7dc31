/** Decides which network a row of a source means: by its ref, else by subnet and space, of several by the datacenter. */

import { isRecord, toText } from '../../../contract/unknown.ts'
import { splitBatches } from '../../../database/query/batches.ts'
import { findIdsByRefs, normalizeSubnet } from '../../../exchange/apply/objects.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { toNameKey } from '../../../net/name-order.ts'
import { findLinks, formatKey } from '../object-reads.ts'
import { type Fields, type JudgedSource, listRefs, type OpenRow } from '../row.ts'
import type { Match } from './devices.ts'
import { createSpaceFinder } from './lookups.ts'

type Network = {
  readonly id: string
  readonly subnet: string
  readonly space_id: string | null
  readonly datacenter_id: string | null
}

const findBySubnets = async ({ db }: Ctx, subnets: readonly string[]): Promise<Network[]> => {
  const found: Network[] = []
  for (const batch of splitBatches([...new Set(subnets)])) {
    const query = db.selectFrom('networks').select(['id', 'subnet', 'space_id', 'datacenter_id'])
    found.push(...(await query.where('subnet', 'in', batch).orderBy('id').execute()))
  }
  return found
}

/** Returns the datacenter that a row names, by its id or its name; undefined if it says none. */
const readDatacenter = (
  { datacenter_id, datacenter }: Fields,
  idsByName: ReadonlyMap<string, string>,
): string | undefined => {
  if (toText(datacenter_id) !== '') return toText(datacenter_id)
  const name = isRecord(datacenter) ? toText(datacenter.name) : toText(datacenter)
  return name === '' ? undefined : idsByName.get(toNameKey(name.trim()))
}

const findDatacenters = async ({ db }: Ctx): Promise<ReadonlyMap<string, string>> =>
  new Map(
    (await db.selectFrom('datacenters').select(['id', 'name_key']).execute()).map((row) => [row.name_key, row.id]),
  )

export const matchNetworks = async (
  ctx: Ctx,
  { id: sourceId }: JudgedSource,
  open: readonly OpenRow[],
): Promise<ReadonlyMap<string, Match>> => {
  if (open.length === 0) return new Map()
  const findSpace = await createSpaceFinder(ctx)
  const refs = await findIdsByRefs(
    ctx,
    'networks',
    open.flatMap(({ fields }) => listRefs(fields)),
  )
  const stored = await findBySubnets(
    ctx,
    open.map(({ fields }) => normalizeSubnet(toText(fields.subnet))),
  )
  const links = await findLinks(ctx, [...refs.values(), ...stored.map(({ id }) => id)])
  const datacenters = open.some(({ fields }) => fields.datacenter !== undefined)
    ? await findDatacenters(ctx)
    : new Map()
  const bySubnet = Map.groupBy(stored, ({ subnet }) => subnet)
  const taken = new Set<string>()

  const matchOne = ({ stored: row, fields }: OpenRow): Match => {
    const isFree = (id: string) =>
      !taken.has(id) &&
      (links.get(id) ?? []).every(
        (link) => link.source_id !== sourceId || link.key === row.key || link.missing_since !== null,
      )
    const find = (id: string, because: string): Match => {
      taken.add(id)
      const own = (links.get(id) ?? []).filter((link) => link.source_id === sourceId && link.key !== row.key)
      return { is: 'found', id, because, forgets: own }
    }
    const byRef = listRefs(fields).flatMap(([source, ref]) => refs.get(`${source} ${ref}`) ?? [])
    const [referred] = byRef.filter(isFree)
    if (referred !== undefined) return find(referred, 'ref')
    const space = findSpace(fields)
    const alike = (bySubnet.get(normalizeSubnet(toText(fields.subnet))) ?? []).filter(
      ({ id, space_id }) => space && space_id === space.id && isFree(id),
    )
    const datacenter = readDatacenter(fields, datacenters)
    const [only, ...more] =
      alike.length > 1 ? alike.filter(({ datacenter_id }) => datacenter_id === (datacenter ?? null)) : alike
    if (only && more.length === 0) return find(only.id, 'subnet')
    if (alike.length > 1)
      return {
        is: 'unclear',
        message: `may be any of ${alike.length} networks with the subnet ${toText(fields.subnet)}`,
      }
    return { is: 'new' }
  }
  return new Map(open.map((row) => [formatKey(row.stored), matchOne(row)]))
}
