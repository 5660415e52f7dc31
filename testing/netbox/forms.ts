/** Writes the small estate as NetBox does: as dumpdata, pg_dump and REST answers of several versions. */
import { type Entry, Ref } from './entry.ts'
import { ENTRIES, SECRET } from './estate.ts'

export const VERSIONS = ['2.11', '3.6', '4.2', '4.6'] as const
export type Version = (typeof VERSIONS)[number]

const TIMES = { created: '2024-01-02T03:04:05Z', last_updated: '2024-05-06T07:08:09Z' }

type Model = Entry & { readonly fields: Readonly<Record<string, unknown>> }

const isBefore = (version: Version, other: Version) => VERSIONS.indexOf(version) < VERSIONS.indexOf(other)

/** Splits a generic reference into its two fields. */
const generic = (name: string, target: unknown) =>
  target instanceof Ref ? { [`${name}_type`]: new Type(target.kind), [`${name}_id`]: target.id } : {}

/** A content type, which each form writes in its way. */
class Type {
  readonly kind: string

  constructor(kind: string) {
    this.kind = kind
  }
}

/** Choices, of which a database writes an array. */
class Choices {
  readonly list: readonly unknown[]

  constructor(list: readonly unknown[]) {
    this.list = list
  }
}

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'number')

const typeOf = (kind: unknown): Type => new Type(String(kind))

/** Returns the values of a set of choices. */
const choicesOf = (entries: readonly Entry[], { kind, id }: Ref): unknown[] => {
  const set = entries.find((entry) => entry.kind === kind && entry.id === id)?.fields.choices
  return Array.isArray(set) ? set.map((pair: unknown) => (Array.isArray(pair) ? pair[0] : pair)) : []
}

/** Returns the objects as the models of a version have them. */
const modelsOf = (version: Version, entries: readonly Entry[]): Model[] => {
  const models: Model[] = []
  let macs = 0
  let mappings = 0
  let ends = 0
  for (const entry of entries) {
    const { scope, assigned, at, a, b, mac, role, rear, types, related, choices, ...others } = entry.fields
    const { object, on, end, ...fields } = others
    const more: Record<string, unknown> = {}
    if (Array.isArray(types)) more[isBefore(version, '4.2') ? 'content_types' : 'object_types'] = types.map(typeOf)
    if (typeof related === 'string')
      more[isBefore(version, '4.2') ? 'object_type' : 'related_object_type'] = new Type(related)
    if (Array.isArray(choices)) {
      if (isBefore(version, '3.6')) continue
      more.extra_choices = new Choices(choices)
    }
    if (choices instanceof Ref && isBefore(version, '3.6')) more.choices = new Choices(choicesOf(entries, choices))
    else if (choices instanceof Ref) more.choice_set = choices
    if (Array.isArray(rear)) {
      // A list of the rear port and its position.
      const [rear_port, rear_port_position] = rear as [Ref, number]
      if (isBefore(version, '4.6')) Object.assign(more, { rear_port, rear_port_position })
      else {
        const kind = entry.kind === 'dcim.frontport' ? 'dcim.portmapping' : 'dcim.porttemplatemapping'
        const front_port = new Ref(entry.kind, entry.id)
        models.push({
          kind,
          id: ++mappings,
          fields: { front_port, front_port_position: 1, rear_port, rear_port_position },
        })
      }
    }
    if (isBefore(version, '3.6') && entry.kind === 'ipam.iprange') continue
    if (scope && isBefore(version, '4.2')) more.site = scope
    else Object.assign(more, generic('scope', scope))
    Object.assign(more, generic('assigned_object', assigned), generic('interface', on), generic('termination', end))
    if (object instanceof Ref) {
      more[isBefore(version, '4.2') ? 'content_type' : 'object_type'] = new Type(object.kind)
      more.object_id = object.id
    }
    // The end of a circuit.
    if (at instanceof Ref && isBefore(version, '4.2')) more[at.kind === 'dcim.site' ? 'site' : 'provider_network'] = at
    else Object.assign(more, generic('termination', at))
    if (role) more[entry.kind === 'dcim.device' && isBefore(version, '3.6') ? 'device_role' : 'role'] = role
    if (mac !== undefined && isBefore(version, '4.2')) more.mac_address = mac || null
    else if (mac) {
      macs++
      more.primary_mac_address = new Ref('dcim.macaddress', macs)
      models.push({
        kind: 'dcim.macaddress',
        id: macs,
        fields: { mac_address: mac, ...generic('assigned_object', new Ref(entry.kind, entry.id)) },
      })
    }
    if (a && isBefore(version, '3.6')) Object.assign(more, generic('termination_a', a), generic('termination_b', b))
    else if (a) {
      for (const [cable_end, target] of [
        ['A', a],
        ['B', b],
      ] as const)
        models.push({
          kind: 'dcim.cabletermination',
          id: ++ends,
          fields: { cable: new Ref('dcim.cable', entry.id), cable_end, ...generic('termination', target) },
        })
    }
    const isWithoutHost = entry.kind === 'virtualization.virtualmachine' && isBefore(version, '3.6')
    const { device, ...withoutHost } = fields
    models.push({ ...entry, fields: { ...(isWithoutHost ? withoutHost : fields), ...more } })
  }
  return models
}

/** Objects that are not read: accounts, tokens, and the log of changes with copies of secrets. */
const UNREAD: readonly Entry[] = [
  { kind: 'users.token', id: 1, fields: { key: SECRET, user: 1 } },
  { kind: 'auth.user', id: 1, fields: { username: 'admin', password: SECRET } },
  { kind: 'sessions.session', id: 1, fields: { session_data: SECRET } },
  { kind: 'extras.objectchange', id: 1, fields: { object_repr: 'x', postchange_data: { key: SECRET } } },
]
/** An object without a place, which holds a secret. */
const KEYED: Entry = { kind: 'vpn.ikepolicy', id: 1, fields: { name: 'ike', preshared_key: SECRET } }

const KINDS = [
  ...new Set(ENTRIES.map(({ kind }) => kind)),
  ...['dcim.macaddress', 'dcim.cabletermination', 'dcim.portmapping', 'dcim.porttemplatemapping', 'extras.tag'],
]
const typeId = (kind: string) => KINDS.indexOf(kind) + 1

const TAGS = [...new Set(ENTRIES.flatMap(({ tags }) => tags ?? []))]
const tagId = (tag: string) => TAGS.indexOf(tag) + 1
const tagModels = (): Entry[] =>
  TAGS.map((name) => ({ kind: 'extras.tag', id: tagId(name), fields: { name, slug: name } }))

const taggedItems = (models: readonly Model[]): Entry[] =>
  models
    .flatMap(({ kind, id, tags = [] }) => tags.map((tag) => ({ kind, id, tag })))
    .map(({ kind, id, tag }, at) => ({
      kind: 'extras.taggeditem',
      id: at + 1,
      fields: { content_type: new Type(kind), object_id: id, tag: new Ref('extras.tag', tagId(tag)) },
    }))

const allModels = (version: Version, entries: readonly Entry[]): Model[] => {
  const models = [...modelsOf(version, entries), ...tagModels(), KEYED]
  return [...models, ...taggedItems(models), ...UNREAD]
}

/** Models that other programs do not tag and date. */
const IS_PLAIN = (kind: string) => kind === 'extras.taggeditem' || UNREAD.some((entry) => entry.kind === kind)

/** The decimals, which dumps write as text with all their digits. */
const DECIMALS: Readonly<Record<string, number>> = { latitude: 6, longitude: 6, vcpus: 2, position: 1 }
const decimal = (version: Version, name: string, value: number): string | number =>
  name === 'position' && isBefore(version, '3.6') ? value : value.toFixed(DECIMALS[name])

export const dumpdata = (version: Version, { natural = false, entries = ENTRIES } = {}): string => {
  const type = (kind: string) => (natural ? kind.split('.') : typeId(kind))
  const written = (name: string, value: unknown): unknown => {
    if (value instanceof Ref) return value.id
    if (value instanceof Type) return type(value.kind)
    if (value instanceof Choices) return JSON.stringify(value.list)
    if (isNumbers(value)) return JSON.stringify(value.map(String))
    if (Array.isArray(value)) return value.map((one) => written(name, one))
    if (typeof value === 'number' && name in DECIMALS) return decimal(version, name, value)
    return value ?? null
  }
  const objects = allModels(version, entries).map(({ kind, id, fields, custom }) => ({
    model: kind,
    pk: id,
    fields: {
      ...(IS_PLAIN(kind) ? {} : { ...TIMES, custom_field_data: custom ?? {}, _name: 'sorted', description: '' }),
      ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, written(name, value)])),
    },
  }))
  const types = KINDS.map((kind) => {
    const [app_label, model] = kind.split('.')
    return { model: 'contenttypes.contenttype', pk: typeId(kind), fields: { app_label, model } }
  })
  return JSON.stringify(natural ? objects : [...types, ...objects])
}

const REST_ROUTES: Readonly<Record<string, string>> = {
  'dcim.devicebay': 'dcim/device-bays',
  'dcim.inventoryitem': 'dcim/inventory-items',
  'dcim.inventoryitemrole': 'dcim/inventory-item-roles',
  'dcim.modulebay': 'dcim/module-bays',
  'dcim.moduletype': 'dcim/module-types',
  'dcim.rackreservation': 'dcim/rack-reservations',
  'dcim.virtualchassis': 'dcim/virtual-chassis',
  'ipam.fhrpgroup': 'ipam/fhrp-groups',
  'ipam.fhrpgroupassignment': 'ipam/fhrp-group-assignments',
  'ipam.routetarget': 'ipam/route-targets',
  'tenancy.contactassignment': 'tenancy/contact-assignments',
  'tenancy.contactgroup': 'tenancy/contact-groups',
  'tenancy.contactrole': 'tenancy/contact-roles',
  'tenancy.tenantgroup': 'tenancy/tenant-groups',
  'virtualization.virtualdisk': 'virtualization/virtual-disks',
  'vpn.l2vpntermination': 'vpn/l2vpn-terminations',
  'vpn.tunnelgroup': 'vpn/tunnel-groups',
  'vpn.tunneltermination': 'vpn/tunnel-terminations',
  'wireless.wirelesslan': 'wireless/wireless-lans',
  'circuits.circuittermination': 'circuits/circuit-terminations',
  'circuits.circuittype': 'circuits/circuit-types',
  'circuits.providernetwork': 'circuits/provider-networks',
  'dcim.powerfeed': 'dcim/power-feeds',
  'dcim.powerpanel': 'dcim/power-panels',
  'dcim.sitegroup': 'dcim/site-groups',
  'dcim.devicetype': 'dcim/device-types',
  'dcim.devicerole': 'dcim/device-roles',
  'dcim.macaddress': 'dcim/mac-addresses',
  'ipam.vlangroup': 'ipam/vlan-groups',
  'ipam.prefix': 'ipam/prefixes',
  'ipam.iprange': 'ipam/ip-ranges',
  'ipam.ipaddress': 'ipam/ip-addresses',
  'virtualization.clustertype': 'virtualization/cluster-types',
  'virtualization.virtualmachine': 'virtualization/virtual-machines',
  'virtualization.vminterface': 'virtualization/interfaces',
  'vpn.ikepolicy': 'vpn/ike-policies',
  'dcim.consoleport': 'dcim/console-ports',
  'dcim.consoleserverport': 'dcim/console-server-ports',
  'dcim.frontport': 'dcim/front-ports',
  'dcim.poweroutlet': 'dcim/power-outlets',
  'dcim.powerport': 'dcim/power-ports',
  'dcim.rackrole': 'dcim/rack-roles',
  'dcim.rearport': 'dcim/rear-ports',
  'dcim.consoleporttemplate': 'dcim/console-port-templates',
  'dcim.frontporttemplate': 'dcim/front-port-templates',
  'dcim.interfacetemplate': 'dcim/interface-templates',
  'dcim.powerporttemplate': 'dcim/power-port-templates',
  'dcim.rearporttemplate': 'dcim/rear-port-templates',
  'extras.customfield': 'extras/custom-fields',
  'extras.customfieldchoiceset': 'extras/custom-field-choice-sets',
}
const routeOf = (kind: string): string => REST_ROUTES[kind] ?? `${kind.replace('.', '/')}s`

const CHOICES = new Set([
  ...['status', 'type', 'face', 'mode', 'length_unit', 'feed_leg', 'airflow', 'supply', 'phase', 'priority'],
  ...['protocol', 'encapsulation', 'auth_type'],
])
/** Kinds that are no objects of the API. */
const INNER = new Set(['dcim.cabletermination', 'dcim.portmapping', 'dcim.porttemplatemapping'])

export type RestObject = Record<string, unknown>

/** Returns the objects of each route. */
export const restLists = (version: Version, entries = ENTRIES): Record<string, RestObject[]> => {
  const models = [
    ...modelsOf(version, entries),
    ...tagModels(),
    KEYED,
    ...UNREAD.filter(({ kind }) => kind === 'users.token'),
  ]
  const byKey = new Map(models.map((model) => [`${model.kind} ${model.id}`, model]))
  const url = (kind: string, id: number) => `https://netbox.example/api/${routeOf(kind)}/${id}/`
  const brief = ({ kind, id }: Ref): RestObject => {
    const { name, slug, model, address, manufacturer } = byKey.get(`${kind} ${id}`)?.fields ?? {}
    const maker = manufacturer instanceof Ref ? { manufacturer: brief(manufacturer) } : {}
    return { id, url: url(kind, id), display: name ?? model ?? address, name, slug, model, address, ...maker }
  }
  const written = (name: string, value: unknown): unknown => {
    if (value instanceof Ref) return brief(value)
    if (value instanceof Type) return value.kind
    if (value instanceof Choices) return value.list
    if (Array.isArray(value)) return value.map((one) => written(name, one))
    if (CHOICES.has(name) && typeof value === 'string') return { value, label: value.toUpperCase() }
    return value ?? null
  }
  const ends = (cable: number, end: string) =>
    models
      .filter(({ kind, fields }) => kind === 'dcim.cabletermination' && (fields.cable as Ref).id === cable)
      .filter(({ fields }) => fields.cable_end === end)
      .map(({ fields }) => ({
        object_type: (fields.termination_type as Type).kind,
        object_id: fields.termination_id,
        object: brief(new Ref((fields.termination_type as Type).kind, Number(fields.termination_id))),
      }))
  /** Returns the rear ports of a front port, since 4.5. */
  const rears = (of: Entry) =>
    models
      .filter(
        ({ kind, fields: { front_port } }) => INNER.has(kind) && front_port instanceof Ref && isSame(front_port, of),
      )
      .map(({ fields }) => ({
        position: fields.front_port_position,
        rear_port: (fields.rear_port as Ref).id,
        rear_port_position: fields.rear_port_position,
      }))
  const lists: Record<string, RestObject[]> = {}
  for (const { kind, id, fields, tags = [], custom = {} } of models) {
    if (INNER.has(kind)) continue
    const rear_ports = rears({ kind, id, fields })
    const object: RestObject = {
      id,
      url: url(kind, id),
      display: `${kind} ${id}`,
      ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, written(name, value)])),
      ...(kind === 'dcim.device' && version === '3.6' ? { device_role: brief(fields.role as Ref) } : {}),
      ...(kind === 'dcim.cable' && !isBefore(version, '3.6')
        ? { a_terminations: ends(id, 'A'), b_terminations: ends(id, 'B') }
        : {}),
      ...(rear_ports.length > 0 && { rear_ports }),
      tags: tags.map((tag) => ({ ...brief(new Ref('extras.tag', tagId(tag))), color: '9e9e9e' })),
      custom_fields: custom,
      device_count: 7,
      ...TIMES,
    }
    const list = lists[routeOf(kind)] ?? []
    list.push(object)
    lists[routeOf(kind)] = list
  }
  return lists
}

const isSame = (ref: Ref, { kind, id }: Entry): boolean => ref.kind === kind && ref.id === id

/** @param paged as answers of the API, else as plain lists */
export const rest = (version: Version, { paged = false, entries = ENTRIES } = {}): string => {
  const lists = Object.entries(restLists(version, entries))
  const answers = lists.map(([route, results]) => [
    route,
    paged ? { count: results.length, next: null, previous: null, results } : results,
  ])
  return JSON.stringify(Object.fromEntries(answers))
}

/** Escapes a value for COPY. */
const copyText = (value: unknown): string => {
  if (value === null || value === undefined) return '\\N'
  if (typeof value === 'boolean') return value ? 't' : 'f'
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
}

/** Formats a list as an array of PostgreSQL. */
const arrayText = (list: readonly unknown[]): string =>
  `{${list.map((one) => (Array.isArray(one) ? arrayText(one) : `"${String(one)}"`)).join(',')}}`

const tableOf = (kind: string): string => {
  if (kind === 'sessions.session') return 'django_session'
  return kind.replace('.', '_')
}

/** Returns the tables of the database with their rows. */
export const tables = (version: Version, entries = ENTRIES): Map<string, Record<string, unknown>[]> => {
  const found = new Map<string, Record<string, unknown>[]>()
  const add = (table: string, row: Record<string, unknown>) => found.set(table, [...(found.get(table) ?? []), row])
  let pairs = 0
  const addPair = (kind: string, id: number, name: string, one: unknown) => {
    const own = `${kind.split('.')[1]}_id`
    const other = one instanceof Type ? 'contenttype_id' : 'vlan_id'
    const value = one instanceof Type ? typeId(one.kind) : (one as Ref).id
    add(`${tableOf(kind)}_${name}`, { id: ++pairs, [own]: id, [other]: value })
  }
  for (const { kind, id, fields, custom } of allModels(version, entries)) {
    const columns: Record<string, unknown> = IS_PLAIN(kind)
      ? {}
      : { ...TIMES, custom_field_data: custom ?? {}, _name: 'sorted', description: '' }
    for (const [name, value] of Object.entries(fields)) {
      if (value instanceof Ref) columns[`${name}_id`] = value.id
      else if (value instanceof Type) columns[`${name}_id`] = typeId(value.kind)
      else if (value instanceof Choices) columns[name] = arrayText(value.list)
      else if (name === 'default') columns[name] = JSON.stringify(value)
      else if (isNumbers(value)) columns[name] = `{${value.join(',')}}`
      else if (Array.isArray(value)) for (const one of value) addPair(kind, id, name, one)
      else if (typeof value === 'number' && name in DECIMALS) columns[name] = decimal(version, name, value)
      // The database leaves out the mask of a single address, and writes MAC addresses in small letters.
      else if (name === 'address') columns[name] = String(value).replace(/\/32$/, '')
      else if (name === 'mac_address') columns[name] = value && String(value).toLowerCase()
      else columns[name] = value
    }
    add(tableOf(kind), { id, ...columns })
  }
  for (const kind of KINDS) {
    const [app_label, model] = kind.split('.')
    add('django_content_type', { id: typeId(kind), app_label, model })
  }
  return found
}

export const pgDump = (version: Version, entries = ENTRIES): string => {
  const blocks = [...tables(version, entries)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([table, rows]) => {
      const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
      const lines = rows.map((row) => names.map((name) => copyText(row[name])).join('\t'))
      const columns = names.map((name) => (name === 'position' ? '"position"' : name)).join(', ')
      return `--\n-- Data for Name: ${table}; Type: TABLE DATA\n--\n\nCOPY public.${table} (${columns}) FROM stdin;\n${lines.map((line) => `${line}\n`).join('')}\\.\n\n`
    })
  return [
    "--\n-- PostgreSQL database dump\n--\n\nSET client_encoding = 'UTF8';\n\n",
    'CREATE TABLE public.dcim_site (\n    id bigint NOT NULL\n);\n\n',
    ...blocks,
    '--\n-- PostgreSQL database dump complete\n--\n\n',
  ].join('')
}
