/** `dcim/cables`: cables with the interfaces at their ends. Panels, consoles and power are no interfaces, so such ends are left out. */
import { type SqlBool, sql } from 'kysely'
import { type StoredCable, store } from '../../../inventory/cables/store.ts'
import { toNameKey } from '../../../net/name-order.ts'
import { CABLE_TYPE, LENGTH_UNIT, LINK_STATUS } from '../../choices/cables.ts'
import { CustomFields } from '../../endpoint/custom.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import { head, readOnly, times, toChoice } from '../../endpoint/fields.ts'
import { choiceFilter, ownFilter, textFilter } from '../../endpoint/filter.ts'
import { objectFilters } from '../../endpoint/place-filters.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { type AnyQuery, fromRows } from '../../endpoint/source.ts'
import { assignNumbers } from '../../numbers/numbers.ts'
import { NESTED_SETS, toComments, toDescription } from '../../world/nested.ts'
import { displayCable, nestInterface, type ShownInterface, toInterfaceKind } from '../../world/nested-interfaces.ts'
import { prepareWorld } from '../../world/prepare.ts'
import type { World } from '../../world/world.ts'
import { customObjectFilters, tagFilters } from '../device-filters.ts'
import { readInterfaces } from './links.ts'

type Termination = { readonly shown: ShownInterface; readonly number: number }

type CableItem = {
  readonly cable: StoredCable
  readonly a: Termination | undefined
  readonly b: Termination | undefined
}

const custom = new CustomFields<CableItem>('cables', ({ cable }) => cable.custom)

const loadCables = async (world: World, cables: readonly StoredCable[]): Promise<CableItem[]> => {
  const ids = cables.flatMap(({ a, b }) => [a.port_id, b.port_id])
  const ports = await readInterfaces(world, ids)
  const numbers = await assignNumbers(
    world.writer,
    // Numbers are given in the order of the cables.
    ids.flatMap((id) => {
      const port = ports.get(id)
      return port ? [{ kind: toInterfaceKind(port.device), key: id }] : []
    }),
  )
  return cables.map((cable): CableItem => {
    const toTermination = (id: string): Termination | undefined => {
      const one = ports.get(id)
      return one && { shown: { ...one, cable }, number: numbers.get(toInterfaceKind(one.device), id) }
    }
    return { cable, a: toTermination(cable.a.port_id), b: toTermination(cable.b.port_id) }
  })
}

/** The rows have the columns of cables. */
const select = ({ ctx }: World) => store.rows(ctx) as object as AnyQuery<object>

const order = (query: AnyQuery<object>) => query.orderBy(sql.ref('cables.label_order')).orderBy(sql.ref('cables.id'))

const nestEnd = (world: World, end: Termination | undefined) =>
  end
    ? [
        {
          object_type: toInterfaceKind(end.shown.device),
          object_id: end.number,
          object: nestInterface(world, end.shown),
        },
      ]
    : []

const STATUSES = { connected: 'connected', planned: 'planned', decommissioned: 'decommissioning' } as const

const getStatus = ({ cable }: CableItem): string => STATUSES[cable.status]

const getType = ({ cable }: CableItem): string | null => {
  const type = cable.type.toLowerCase()
  return Object.hasOwn(CABLE_TYPE, type) ? type : null
}

const COLOR = /^[0-9a-f]{6}$/

/** NetBox has colors as hexadecimal digits; Plat has any text. */
const getColor = ({ cable }: CableItem): string => {
  const color = cable.color.toLowerCase().replace(/^#/, '')
  return COLOR.test(color) ? color : ''
}

const listDeviceIds = ({ a, b }: CableItem): string[] => [a, b].flatMap((end) => end?.shown.device.id ?? [])

/** Returns the words of a cable that a search finds. */
const listTexts = ({ cable: { label, type, color, description } }: CableItem): string[] =>
  [label, type, color, description].map(toNameKey)

export const cables: Endpoint<CableItem> = {
  path: 'dcim/cables',
  kind: 'dcim.cable',
  key: ({ cable }) => cable.id,
  brief: ['id', 'url', 'display', 'label', 'description'],
  fields: [
    ...head<CableItem>({ page: () => '/cables', display: ({ cable }) => displayCable(cable) }),
    readOnly('type', 'string', getType),
    readOnly('a_terminations', 'json', ({ a }, world) => nestEnd(world, a)),
    readOnly('b_terminations', 'json', ({ b }, world) => nestEnd(world, b)),
    readOnly('status', { is: 'choice', of: LINK_STATUS }, (item) => toChoice(LINK_STATUS, getStatus(item))),
    custom.nothing('profile'),
    custom.tenant(),
    readOnly('label', 'string', ({ cable }) => cable.label),
    readOnly('color', 'string', getColor),
    readOnly('length', 'decimal', ({ cable }) => cable.length_m),
    readOnly('length_unit', { is: 'choice', of: LENGTH_UNIT }, ({ cable }) =>
      toChoice(LENGTH_UNIT, cable.length_m === null ? null : 'm'),
    ),
    readOnly('description', 'string', ({ cable }) => toDescription(cable.description)),
    custom.nothing('owner'),
    readOnly('comments', 'string', ({ cable }) => toComments(cable.description)),
    custom.tags(),
    custom.rest(),
    ...times<CableItem>(({ cable }) => cable),
  ],
  custom,
  source: fromRows<CableItem, object>({
    tables: ['cables', 'ports', 'devices', 'device_tags'],
    select,
    order,
    load: (world, rows) => loadCables(world, rows.map(store.fromRow)),
    find: async (world, keys) => {
      const isOneOf = sql<SqlBool>`cables.id IN (${sql.join([...keys])})`
      const rows = keys.length === 0 ? [] : await order(select(world).where(isOneOf)).execute()
      return loadCables(world, rows.map(store.fromRow))
    },
  }),
  prepare: (world) =>
    prepareWorld(world, {
      sets: NESTED_SETS,
      names: ['extras.tag'],
      definitions: ['cables', 'devices', 'spaces', 'tenants', 'clusters'],
    }),
  filters: {
    q: ownFilter<CableItem, string>({
      message: 'Enter a text.',
      parse: toNameKey,
      test: (item, text) => listTexts(item).some((held) => held.includes(text)),
    }),
    label: textFilter({
      get: ({ cable }) => cable.label,
      columns: { value: 'cables.label', key: 'cables.label_key' },
    }),
    description: textFilter({ get: ({ cable }) => toDescription(cable.description) }),
    type: choiceFilter({ choices: CABLE_TYPE, get: getType }),
    status: choiceFilter({ choices: LINK_STATUS, get: getStatus }),
    ...objectFilters<CableItem>('device', 'name', { of: RESOLVERS['dcim.device'], keys: listDeviceIds }),
    ...customObjectFilters(custom, { name: 'tenant', by: 'slug', of: RESOLVERS['tenancy.tenant'], id: 'cables.id' }),
    ...tagFilters<CableItem>((item, world) => [custom.get(item, 'tags', world) ?? []].flat().map(String)),
  },
}
