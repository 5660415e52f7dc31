/** Modules, their bays, inventory items and disks of machines: parts of devices. Units of racks that are reserved. */
import { compressNumbers } from '../../rows/number-ranges.ts'
import type { NetboxModel, Target } from '../model.ts'
import { parseList } from '../read/lists.ts'
import type { NetboxObject } from '../read/objects.ts'
import { listUnlisted, type SpecFactory, toLabel, toListedRef, toListedTarget, type Values } from './spec.ts'

const DEVICE = 'dcim.device'
const MACHINE = 'virtualization.virtualmachine'
export const MODULE = 'dcim.module'
const BAY = 'dcim.modulebay'
const MODULE_TYPE = 'dcim.moduletype'
const ITEM = 'dcim.inventoryitem'
const ITEM_ROLE = 'dcim.inventoryitemrole'
const DISK = 'virtualization.virtualdisk'
const MANUFACTURER = 'dcim.manufacturer'
const RACK = 'dcim.rack'
export const RESERVATION = 'dcim.rackreservation'

/** Returns the parts with an asset tag that no other one has, in any case: a tag is unique. */
const findTagOwners = (model: NetboxModel): ReadonlySet<NetboxObject> => {
  const owners = new Map<string, NetboxObject>()
  for (const kind of [MODULE, ITEM])
    for (const object of model.of(kind)) {
      const tag = String(object.asset_tag ?? '').toLowerCase()
      if (!owners.has(tag)) owners.set(tag, object)
    }
  return new Set(owners.values())
}

export const createPartSpecs: SpecFactory = ({ model }) => {
  const owners = findTagOwners(model)
  const getIdentity = (object: NetboxObject): Values => ({
    device: toListedRef(model, DEVICE, object.device),
    serial: object.serial,
    asset_tag: owners.has(object) ? object.asset_tag : undefined,
    status: object.status,
  })
  const listTagLines = (object: NetboxObject) =>
    owners.has(object) ? [] : [{ key: 'asset_tag', value: object.asset_tag }]
  const getType = ({ module_type }: NetboxObject) => model.find(MODULE_TYPE, module_type)
  return [
    {
      kind: BAY,
      getValues: ({ device, position }) => ({ device: toListedRef(model, DEVICE, device), type: 'bay', position }),
      row: {
        used: 'device module parent position installed_module enabled',
        findParent: ({ module }): Target | undefined => toListedTarget(model, MODULE, module),
      },
    },
    {
      kind: MODULE,
      getValues: (object) => ({
        ...getIdentity(object),
        type: 'module',
        position: toLabel(model, BAY, object.module_bay),
        manufacturer: toLabel(model, MANUFACTURER, getType(object)?.manufacturer),
        part_number: getType(object)?.part_number,
      }),
      row: {
        used: 'device module_bay module_type serial asset_tag status',
        getName: ({ module_type, id }) => toLabel(model, MODULE_TYPE, module_type) ?? `module #${id}`,
        findParent: ({ module_bay: bay }) => toListedTarget(model, BAY, bay),
        listLines: listTagLines,
      },
    },
    {
      kind: ITEM,
      getValues: (object) => ({
        ...getIdentity(object),
        type: 'part',
        manufacturer: toLabel(model, MANUFACTURER, object.manufacturer),
        part_number: object.part_id,
      }),
      row: {
        used: 'device parent manufacturer part_id serial asset_tag status role component component_type component_id',
        findParent: ({ parent }) => toListedTarget(model, ITEM, parent),
        listLines: (object) => {
          const component = model.target(object, 'component')
          return [
            { key: 'role', value: toLabel(model, ITEM_ROLE, object.role) },
            { key: 'component', value: component && model.label(component.kind, component.id) },
            ...listTagLines(object),
          ]
        },
      },
    },
    {
      kind: DISK,
      getValues: ({ virtual_machine: machine }) => ({ device: toListedRef(model, MACHINE, machine), type: 'disk' }),
      row: {
        used: 'virtual_machine',
        listLines: ({ virtual_machine: machine }) =>
          listUnlisted(model, 'virtual_machine', { kind: MACHINE, id: machine }),
      },
    },
  ]
}

export const createRackSpecs: SpecFactory = ({ model }) => [
  { kind: RACK, getValues: ({ serial, asset_tag, facility_id: facility }) => ({ serial, asset_tag, facility }) },
  {
    kind: RESERVATION,
    getValues: ({ rack, units }) => ({
      rack: toListedRef(model, RACK, rack),
      units: compressNumbers(parseList(units).map(Number).filter(Number.isInteger)),
    }),
    row: {
      used: 'rack units description unit_count',
      getName: ({ description, id }) => String(description ?? `reservation #${id}`),
      findProblem: ({ rack }) =>
        toListedRef(model, RACK, rack) ? undefined : 'has no rack, or one that is not in the file',
    },
  },
  {
    kind: 'dcim.powerfeed',
    getValues: ({ voltage, amperage, phase, supply }) => ({ voltage, amperage, phase, supply }),
  },
  ...[
    ...['dcim.interface', 'dcim.consoleport', 'dcim.consoleserverport', 'dcim.powerport', 'dcim.poweroutlet'],
    ...['dcim.frontport', 'dcim.rearport'],
  ].map((kind) => ({
    kind,
    getValues: ({ module }: NetboxObject) => ({ module: toListedRef(model, MODULE, module) }),
  })),
]
