/** Documents of the community library: values without a place, duplex panels, and types of other things. */
import { expect, test } from 'bun:test'
import { AppError } from '../../contract/errors.ts'
import { readLibrary } from './library.ts'

const HEAD = 'manufacturer: Acme\nmodel: A\nslug: acme-a\nu_height: 1\nis_full_depth: true\n'

const read = async (yaml: string) => (await readLibrary(yaml))[0]
const messageOf = async (yaml: string): Promise<string | undefined> => {
  const error = await readLibrary(yaml).catch((thrown: unknown) => thrown)
  return error instanceof AppError ? error.details[0]?.message : undefined
}

test('values of ports without a place are named once per kind, with their number and the first of them', async () => {
  const type = await read(`${HEAD}weight: 3.5
comments: x
interfaces:
  - { name: mgmt, type: 1000base-t, mgmt_only: true }
  - { name: Gi1, type: 1000base-t, poe_mode: pse, poe_type: type2-ieee802.3at, mgmt_only: false, enabled: true }
  - { name: Gi2, type: 1000base-t, poe_mode: pse, label: up, enabled: false }
power-ports:
  - { name: PS1, type: iec-60320-c14, maximum_draw: 100, allocated_draw: 50 }
`)
  expect(type?.left).toEqual([
    { field: 'weight', count: 1, example: '3.5' },
    { field: 'comments', count: 1, example: 'x' },
    { field: 'interfaces.mgmt_only', count: 1, example: 'true' },
    { field: 'interfaces.poe_mode', count: 2, example: 'pse' },
    { field: 'interfaces.poe_type', count: 1, example: 'type2-ieee802.3at' },
    { field: 'interfaces.label', count: 1, example: 'up' },
    { field: 'power-ports.allocated_draw', count: 1, example: '50' },
  ])
  expect(type?.ignored).toEqual(type?.left.map(({ field }) => field) ?? [])
  expect(type?.draft.power_w).toBe(100)
})

const portsOf = async (yaml: string) => (await read(yaml))?.draft.ports?.map(({ name }) => name).toSorted()

test.each([
  [
    'since NetBox 4.5',
    `front-ports:
  - { name: F1, type: lc, positions: 2 }
rear-ports:
  - { name: TX1, type: lc }
  - { name: RX1, type: lc }
port-mappings:
  - { front_port: F1, front_port_position: 2, rear_port: RX1 }
  - { front_port: F1, front_port_position: 1, rear_port: TX1 }
`,
    ['F1', 'RX1'],
  ],
  [
    'with one rear port for two front ports',
    `front-ports:
  - { name: F1, type: lc, rear_port: R, rear_port_position: 1 }
  - { name: F2, type: lc, rear_port: R, rear_port_position: 2 }
rear-ports:
  - { name: R, type: mpo, positions: 2 }
  - { name: S, type: mpo }
`,
    ['F1', 'F2', 'S'],
  ],
])('a duplex panel %s keeps the rear ports that are no side of a front port', async (_, ports, expected) => {
  expect(await portsOf(HEAD + ports)).toEqual(expected)
})

test.each([
  ['a transceiver', 'manufacturer: Acme\nmodel: SFP-10G-SR\npart_number: SFP-10G-SR\ncomments: x\n', 'module type'],
  [
    'a line card',
    'manufacturer: Acme\nmodel: LC\ninterfaces:\n  - { name: "Gi{module}/0/1", type: 1000base-t }\n',
    'module type',
  ],
  [
    'a module with a profile',
    'manufacturer: Acme\nmodel: CPU\nprofile: CPU\nattributes: { cores: 8 }\n',
    'module type',
  ],
  [
    'a management card with ports that any device has',
    'manufacturer: APC\nmodel: AP9630\npart_number: AP9630\nconsole-ports:\n  - { name: Serial, type: other }\ninterfaces:\n  - { name: Network, type: 100base-tx, mgmt_only: true }\n',
    'module type',
  ],
  [
    'a power supply',
    'manufacturer: Acme\nmodel: PSU\npower-ports:\n  - { name: PSU, type: iec-60320-c14 }\n',
    'module type',
  ],
  [
    'a rack',
    'manufacturer: Acme\nmodel: R42\nslug: acme-r42\nform_factor: 4-post-cabinet\nwidth: 19\nu_height: 42\nstarting_unit: 1\n',
    'rack type',
  ],
])('%s is no device type', async (_, yaml, other) => {
  const hint = other === 'module type' ? ', which has a slug or a u_height' : ''
  expect(await messageOf(yaml)).toBe(`document 1: is a ${other}, not a device type${hint}`)
})

test.each(['slug: ap', 'u_height: 1', 'is_full_depth: false', 'subdevice_role: child', 'front_image: true'])(
  'a document with ports and %s is a device type',
  async (field) => {
    const yaml = `manufacturer: APC\nmodel: AP\n${field}\ninterfaces:\n  - { name: Network, type: 100base-tx }\n`
    expect((await read(yaml))?.draft.ports).toHaveLength(1)
  },
)

test('a document with a name alone is a device type, as before', async () => {
  expect((await read('manufacturer: Acme\nmodel: A\n'))?.draft.model).toBe('A')
})
