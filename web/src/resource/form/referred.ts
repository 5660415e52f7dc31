/** The objects that a reference chooses from, with the notes that tell equal names apart. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import type { AnyOperation } from '../../../../src/kernel/operation.ts'
import { cidrHolds, parseCidr } from '../../../../src/net/cidr.ts'
import { parseIp } from '../../../../src/net/ip.ts'
import { api, call } from '../../api/client.ts'
import { contracts } from '../../api/contracts.ts'
import { isCode } from '../../api/errors.ts'
import { queryClient } from '../../api/queries.ts'
import { usePermit } from '../../shell/me.ts'
import { useSpaces } from '../../spaces/known-spaces.tsx'
import { CONTRACT_NAMES, type Resource } from '../facts/names.ts'
import type { Filter, Referable } from '../referable.ts'
import { type Choice, filterChoices } from './choice-field.tsx'
import { REFERRED, type ReferredFacts } from './referred-facts.ts'

/** Objects beyond the resources of the inventory, by the first parts of the keys of their queries. */
const OTHERS = {
  users: { label: 'username', detail: 'full_name' },
  groups: {},
  roles: {},
  scopes: {},
  'dns-zones': { contract: 'dnsZones', permission: 'dns', detail: 'subnet' },
  'dns-providers': { contract: 'dnsProviders', permission: 'dns', detail: 'host' },
  credentials: { detail: 'type' },
} satisfies Readonly<
  Record<Exclude<Referable, Resource>, Partial<ReferredFacts> & { contract?: string; permission?: string }>
>

type Row = Readonly<Record<string, unknown>>

/** The server searches above it. */
const MOST_LISTED = 1000
const MOST_FOUND = 50

type Described = ReferredFacts & { readonly contract: string; readonly permission: string }

const describe = (to: Referable): Described => ({
  ...{ label: 'name', contract: CONTRACT_NAMES[to] ?? to, permission: to },
  ...REFERRED[to],
  ...(to in OTHERS ? OTHERS[to as keyof typeof OTHERS] : {}),
})

const getOperations = (to: Referable): Readonly<Record<string, AnyOperation>> =>
  // Each of them has a contract.
  Reflect.get(contracts, describe(to).contract) as Readonly<Record<string, AnyOperation>>

const list = async (to: Referable, input: Filter): Promise<readonly Row[]> => {
  const { all, list: listed } = getOperations(to)
  // Each has a list of its objects; ports are those of all devices.
  return (await call((all ?? listed) as AnyOperation, input)) as readonly Row[]
}

const read = (row: Row, field: string | undefined): string => (field === undefined ? '' : String(row[field] ?? ''))

/** Asks for one more than are listed, to find out whether the server must search. */
const rowsQuery = (to: Referable, filter: Filter | undefined) =>
  queryOptions({
    queryKey: [to, 'choices', filter ?? null],
    queryFn: () => list(to, { ...filter, limit: MOST_LISTED + 1 }),
    // A page that shows all of them has them already.
    initialData: () => (filter ? undefined : queryClient.getQueryData<readonly Row[]>([to])),
    initialDataUpdatedAt: () => queryClient.getQueryState([to])?.dataUpdatedAt,
  })

/** The search of all kinds finds other values than names as well. */
const search = async (to: Referable, text: string): Promise<readonly Row[]> => {
  const { kind, label, detail = 'detail' } = describe(to)
  const { results } = await api.search.all({ q: text })
  return results
    .filter(({ type }) => type === kind)
    .map((one) => ({
      id: one.id,
      [label]: one.name,
      [detail]: one.detail ?? (one.match === one.name ? '' : one.match),
      space_id: one.space_id,
    }))
}

type Asked = { readonly filter: Filter | undefined; readonly text: string; readonly maySearch: boolean }

const find = async (to: Referable, { filter, text, maySearch }: Asked): Promise<readonly Row[]> => {
  const page = { ...filter, limit: MOST_FOUND }
  if (text === '') return list(to, page)
  if (to === 'devices' && !filter) return api.devices.search({ q: text, limit: MOST_FOUND })
  if (to === 'networks' && parseIp(text) && maySearch) return (await api.lookup.show({ query: text })).networks ?? []
  const { label, kind } = describe(to)
  const [named, others] = await Promise.all([
    list(to, { ...page, [label]: text }),
    maySearch && !filter && kind !== undefined && text.length > 1 ? search(to, text) : [],
  ])
  return [...new Map([...others, ...named].map((row) => [row.id, row])).values()]
}

/** Returns the networks that hold an address; undefined for any other text. */
const filterHolding = (to: Referable, rows: readonly Row[], text: string): readonly Row[] | undefined => {
  const ip = to === 'networks' ? parseIp(text) : undefined
  return (
    ip &&
    rows.filter((row) => {
      const cidr = parseCidr(read(row, 'subnet'))
      return cidr !== undefined && cidrHolds(cidr, ip)
    })
  )
}

/** Returns the name of an object that no list has; of one that does not exist, that it was deleted. */
const loadName = async (to: Referable, id: string): Promise<string> => {
  try {
    const { get } = getOperations(to)
    return read((await call(get as AnyOperation, { id })) as Row, describe(to).label)
  } catch (error) {
    return isCode(error, 'NOT_FOUND') ? `${id} (deleted)` : id
  }
}

const NONE: readonly never[] = []

export type Source = {
  readonly to: Referable
  /** The part of them that is offered. */
  readonly filter?: Filter | undefined
  /** The note of an object beside its own. */
  readonly describe?: ((row: Row) => string | undefined) | undefined
  /** Finds the objects that are offered for a text in the place of the server's search, in their order. */
  readonly find?: ((text: string) => Promise<readonly Row[]>) | undefined
  /** The key of that search. */
  readonly findKey?: string | undefined
}

/** Returns the notes of rows: the place of an object, and its addresses. */
const useNotes = (to: Referable, rows: readonly Row[]): ((row: Row) => string) => {
  const { may } = usePermit()
  const spaces = useSpaces()
  const hasSites = to !== 'datacenters' && rows.some(({ datacenter_id }) => typeof datacenter_id === 'string')
  const { data: sites = NONE } = useQuery({
    ...rowsQuery('datacenters', undefined),
    enabled: hasSites && may('datacenters:list'),
  })
  const { detail } = describe(to)
  return (row) => {
    const [address] = Array.isArray(row.addresses) ? (row.addresses as readonly Row[]) : []
    const site = sites.find(({ id }) => id === row.datacenter_id)
    const space = spaces.find(({ id }) => id === row.space_id)?.name ?? ''
    const notes = [read(row, detail), address ? read(address, 'ip') : '', read(row, 'location'), space]
    return [...new Set([...notes, site ? read(site, 'name') : ''])].filter((text) => text !== '').join(' · ')
  }
}

/** Returns the names of the chosen objects; '' of one whose name is not there yet. */
const useNames = (to: Referable, ids: readonly string[], isLoaded: boolean): ReadonlyMap<string, string> => {
  const { may } = usePermit()
  const named = useQuery({
    queryKey: [to, 'names', ids],
    queryFn: async () => new Map(await Promise.all(ids.map(async (id) => [id, await loadName(to, id)] as const))),
    enabled: isLoaded && ids.length > 0 && may(`${describe(to).permission}:read`),
    structuralSharing: false,
    placeholderData: (old) => old,
  })
  const unnamed = isLoaded && !named.isLoading
  return new Map([...ids.map((id) => [id, unnamed ? id : ''] as const), ...(named.data ?? [])])
}

/** Returns the choices for the typed text, and the names of the chosen objects. */
export const useReferred = (source: Source, ids: readonly string[]) => {
  const { to, filter, find: findOwn, findKey } = source
  const { may } = usePermit()
  const { permission, label } = describe(to)
  const [text, setText] = useState<string>()
  const isListed = may(`${permission}:list`)
  const isSearched = to === 'devices' || findOwn !== undefined
  const all = useQuery({ ...rowsQuery(to, filter), enabled: isListed && !isSearched })
  const isMany = isSearched || (all.data?.length ?? 0) > MOST_LISTED
  const typed = text?.trim()
  const wanted = useDeferredValue(typed)
  const found = useQuery({
    queryKey: [to, 'found', filter ?? findKey ?? null, wanted],
    queryFn: () => {
      const asked = { filter, text: wanted ?? '', maySearch: may('search:read') }
      return findOwn ? findOwn(asked.text) : find(to, asked)
    },
    enabled: isListed && isMany && wanted !== undefined,
    placeholderData: (old) => old,
  })
  const rows = (isMany ? found.data : all.data) ?? NONE
  const note = useNotes(to, rows)
  const toChoice = (row: Row): Choice => [
    read(row, 'id'),
    read(row, label),
    [note(row), source.describe?.(row)].filter(Boolean).join(' · '),
  ]
  /** Rows of an older text are offered only if they match this one. */
  const isStale = isMany && (wanted !== typed || found.isPlaceholderData)
  const held = isMany ? undefined : filterHolding(to, rows, typed ?? '')
  const listed = new Map(rows.map((row) => [read(row, 'id'), read(row, label)]))
  const others = ids.filter((id) => !listed.has(id))
  const names = useNames(to, others, isMany || !isListed || !all.isPending)
  const choices = (held ?? rows).map(toChoice)
  return {
    choices: held || (isMany && !isStale) ? choices : filterChoices(choices, typed ?? ''),
    names: new Map([...listed, ...names]),
    isSearching: isStale || (isMany ? found.isLoading : all.isLoading),
    onSearch: setText,
  }
}
