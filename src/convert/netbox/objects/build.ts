/** The objects of a document: objects of NetBox for which packs have a kind, and rules of address translation. */
import { ObjectRows } from '../../objects/object-rows.ts'
import { compact } from '../../rows/row-text.ts'
import { getCustomResource } from '../custom/custom-kinds.ts'
import type { Interfaces } from '../interfaces.ts'
import { listLines, type Mapping, markDone, markTaken, NO_PLACE, toRef, toRefs } from '../mapping.ts'
import { findDatacenter, listPlaceLines } from '../places.ts'
import type { NetboxObject } from '../read/objects.ts'
import { addPluginObjects } from './plugin-objects.ts'
import { type RowSpec, removeMask } from './spec.ts'
import { ASSIGNMENT, PRIORITIES, TENANTS } from './tenancy.ts'
import type { ObjectValues } from './values.ts'

const USED = ['name', 'slug', 'description', 'tags']
const PLACE_USED = ['site', 'location', 'scope_type', 'scope_id']

type Made = { readonly kind: string; readonly spec: RowSpec; readonly object: NetboxObject }

type Building = { readonly values: ObjectValues; readonly rows: ObjectRows }

const addObject = (mapping: Mapping, { values, rows }: Building, { kind, spec, object }: Made): void => {
  const { report, custom } = mapping
  const { id, slug, name, description } = object
  const problem = spec.findProblem?.(object)
  const to = getCustomResource(kind)
  if (to === undefined) return
  if (problem !== undefined) {
    report.left(kind, problem, object)
    markDone(mapping, kind, object)
    return
  }
  const used = new Set([...USED, ...(spec.isLocated ? PLACE_USED : []), ...spec.used.split(' ')])
  if (slug !== undefined && !TENANTS.has(kind)) report.left(`${kind}.slug`, NO_PLACE, { id, value: slug })
  const parent = spec.findParent?.(object)
  const lines = listLines(mapping, { kind, object, used })
  const isNamed = spec.used.split(' ').includes('description')
  rows.add({
    kind: to,
    place: { what: kind, id },
    name: spec.getName?.(object) ?? String(name ?? ''),
    parent: parent && toRef(parent.kind, parent.id),
    datacenter: spec.isLocated ? findDatacenter(mapping, object) : undefined,
    description: report.describe(kind, id, isNamed ? '' : String(description ?? ''), [
      ...lines.filter(({ key }) => key !== 'comments'),
      ...values.listUnfit(kind, object),
      ...(spec.isLocated ? listPlaceLines(mapping, object) : []),
      ...(spec.listLines?.(object, mapping) ?? []),
      // They may be long.
      ...lines.filter(({ key }) => key === 'comments'),
    ]),
    custom: custom.of(kind, object),
    refs: toRefs(kind, id),
  })
  markDone(mapping, kind, object)
  spec.onAdded?.(object, mapping)
}

/** The values of its object say an assignment. */
const markAssignments = (mapping: Mapping, { assignments }: ObjectValues): void => {
  const said = 'object_type content_type object_id contact role object'.split(' ')
  for (const assignment of mapping.model.of(ASSIGNMENT)) {
    const target = assignments.targetOf(assignment)
    if (!target || getCustomResource(target.kind) === undefined) continue
    // The order of the contacts says their priority.
    const isOrdered = PRIORITIES.includes(assignment.priority)
    markTaken(mapping, ASSIGNMENT, assignment, new Set([...said, ...(isOrdered ? ['priority'] : [])]))
  }
}

/** An address that is translated to another one is a rule. */
const addNatRules = (mapping: Mapping, interfaces: Interfaces, rows: ObjectRows): void => {
  const { model, custom } = mapping
  for (const object of model.of('ipam.ipaddress')) {
    const { id, nat_inside } = object
    const address = model.find('ipam.ipaddress', nat_inside)
    const [inside, outside] = [removeMask(address?.address), removeMask(object.address)]
    if (!address || inside === undefined || outside === undefined) continue
    const on = interfaces.ofAddress(address)?.object
    const owner =
      typeof on?.device === 'number'
        ? toRef('dcim.device', on.device)
        : typeof on?.virtual_machine === 'number'
          ? toRef('virtualization.virtualmachine', on.virtual_machine)
          : undefined
    const place = { what: 'ipam.ipaddress.nat_inside', id }
    rows.add({
      kind: 'nat-rules',
      place,
      name: `${outside} - ${inside}`,
      custom: custom.ofPack(
        'nat-rules',
        compact({ type: 'static', inside: [inside], outside: [outside], device: owner }),
        place,
      ),
      refs: toRefs('ipam.ipaddress', `${id}.nat`),
    })
  }
}

const DEVICE_BAY = 'dcim.devicebay'

/** An empty bay of a device is a part. One with a device is a relationship. */
const addEmptyBays = (mapping: Mapping, rows: ObjectRows): void => {
  const { model, report, custom } = mapping
  for (const object of model.of(DEVICE_BAY)) {
    const { id, name, device, installed_device: child, description } = object
    if (child !== undefined || typeof device !== 'number' || !model.isListed('dcim.device', device)) continue
    const lines = listLines(mapping, { kind: DEVICE_BAY, object, used: new Set(['name', 'device', 'description']) })
    rows.add({
      kind: 'parts',
      place: { what: DEVICE_BAY, id },
      name: String(name ?? ''),
      description: report.describe(DEVICE_BAY, id, String(description ?? ''), lines),
      custom: custom.ofPack('parts', { device: toRef('dcim.device', device), type: 'bay' }, { what: DEVICE_BAY, id }),
      refs: toRefs(DEVICE_BAY, id),
    })
    markDone(mapping, DEVICE_BAY, object)
  }
}

export const buildObjects = (mapping: Mapping, values: ObjectValues, interfaces: Interfaces): ObjectRows => {
  const rows = new ObjectRows(mapping.report)
  for (const { kind, row: spec } of values.specs)
    if (spec) for (const object of mapping.model.of(kind)) addObject(mapping, { values, rows }, { kind, spec, object })
  addPluginObjects(mapping, rows)
  addEmptyBays(mapping, rows)
  addNatRules(mapping, interfaces, rows)
  markAssignments(mapping, values)
  return rows
}
