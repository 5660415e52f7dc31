/** The custom values of objects of NetBox that are no custom fields there: fields of packs, tenants and contacts. */

import { isResource } from '../../../inventory/resources.ts'
import { findPackField, fitsPackField } from '../../objects/packs.ts'
import type { Line } from '../../report-builder.ts'
import { getCustomResource } from '../custom/custom-kinds.ts'
import type { NetboxObject } from '../read/objects.ts'
import { createCircuitSpecs } from './circuits.ts'
import { createClusterSpecs, createRedundancySpecs } from './machines.ts'
import { createPartSpecs, createRackSpecs } from './parts.ts'
import { createRoutingSpecs, createServiceSpecs, createVpnSpecs } from './routing.ts'
import { type KindSpec, type SpecContext, toListedRef, type Values } from './spec.ts'
import { Assignments, createTenancySpecs, TENANT } from './tenancy.ts'

const FACTORIES = [
  ...[createTenancySpecs, createCircuitSpecs, createClusterSpecs, createRedundancySpecs, createPartSpecs],
  ...[createRackSpecs, createRoutingSpecs, createServiceSpecs, createVpnSpecs],
]

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

export class ObjectValues {
  /** The kinds that become objects or have values. */
  readonly specs: readonly KindSpec[]
  readonly assignments: Assignments
  readonly #byKind: ReadonlyMap<string, readonly KindSpec[]>
  readonly #context: SpecContext

  constructor(context: SpecContext) {
    this.#context = context
    this.specs = FACTORIES.flatMap((create) => create(context))
    this.assignments = new Assignments(context.model)
    this.#byKind = Map.groupBy(this.specs, ({ kind }) => kind)
  }

  /** The roles of contacts, by the names of their fields. */
  get contactRoles(): ReadonlyMap<string, string> {
    return this.assignments.roles
  }

  /** Returns the values. For objects of kinds, values that do not fit their fields are lines. */
  of(kind: string, object: NetboxObject): readonly (readonly [name: string, value: unknown])[] {
    const resource = getCustomResource(kind)
    if (resource === undefined) return []
    if (isResource(resource)) return this.#list(kind, object)
    return this.#list(kind, object).filter(
      ([name, value]) => findPackField(resource, name) === undefined || fitsPackField(resource, name, value),
    )
  }

  /** Returns lines for the values that their fields do not take. */
  listUnfit(kind: string, object: NetboxObject): Line[] {
    const resource = getCustomResource(kind)
    if (resource === undefined) return []
    return this.#list(kind, object)
      .filter(([name, value]) => findPackField(resource, name) !== undefined && !fitsPackField(resource, name, value))
      .map(([key, value]) => ({ key, value }))
  }

  #list(kind: string, object: NetboxObject): [string, unknown][] {
    const found: [string, unknown][] = []
    const add = (values: Values): void => {
      for (const name in values) if (!isEmpty(values[name])) found.push([name, values[name]])
    }
    for (const { getValues } of this.#byKind.get(kind) ?? []) if (getValues) add(getValues(object))
    const tenant = toListedRef(this.#context.model, TENANT, object.tenant)
    if (tenant) found.push(['tenant', tenant])
    if (this.assignments.hasAny) add(this.assignments.valuesOf({ kind, id: object.id }))
    return found
  }
}
