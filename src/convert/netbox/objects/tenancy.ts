/** Tenants and contacts, their groups, and the assignments of contacts. */
import { toNameSlug } from '../../../net/slug.ts'
import type { RowRef } from '../mapping.ts'
import { toRef } from '../mapping.ts'
import type { NetboxModel, Target } from '../model.ts'
import type { NetboxObject } from '../read/objects.ts'
import { listIn } from '../read/objects.ts'
import { listUnlisted, type SpecFactory, toListedTarget, type Values } from './spec.ts'

export const TENANT = 'tenancy.tenant'
const TENANT_GROUP = 'tenancy.tenantgroup'
/** The kinds of the objects of the kind `tenants`. */
export const TENANTS: ReadonlySet<string> = new Set([TENANT_GROUP, TENANT])
const CONTACT = 'tenancy.contact'
const CONTACT_GROUP = 'tenancy.contactgroup'
const CONTACT_ROLE = 'tenancy.contactrole'
export const ASSIGNMENT = 'tenancy.contactassignment'

/** Before 4.3 a contact has one group. */
const listGroups = ({ group, groups }: NetboxObject): unknown[] =>
  Array.isArray(groups) ? groups : group === undefined ? [] : [group]

/** True for a slug that follows from the name. */
export const isMadeOf = (slug: unknown, name: unknown): boolean =>
  slug === undefined || slug === toNameSlug(String(name ?? ''))

/** The tenants and groups that get their id behind their name, because an earlier one has it in any case. */
const findRenamed = (model: NetboxModel): ReadonlySet<NetboxObject> => {
  const all = [...model.of(TENANT_GROUP), ...model.of(TENANT)]
  const byName = Map.groupBy(all, ({ name }) => String(name).trim().toLowerCase())
  return new Set([...byName.values()].flatMap(([, ...later]) => later))
}

/** Returns the slug of a tenant or group, where it does not follow from the name in Plat. */
const createSlugs = (model: NetboxModel): ((object: NetboxObject) => Values) => {
  const renamed = findRenamed(model)
  return (object) => (renamed.has(object) || !isMadeOf(object.slug, object.name) ? { slug: object.slug } : {})
}

export const createTenancySpecs: SpecFactory = ({ model }) => {
  const getValues = createSlugs(model)
  return [
    {
      kind: TENANT_GROUP,
      getValues,
      row: { used: 'parent', findParent: ({ parent }) => toListedTarget(model, TENANT_GROUP, parent) },
    },
    {
      kind: TENANT,
      getValues,
      row: {
        used: 'group',
        findParent: ({ group }) => toListedTarget(model, TENANT_GROUP, group),
        listLines: ({ group }) => listUnlisted(model, 'group', { kind: TENANT_GROUP, id: group }),
      },
    },
    {
      kind: CONTACT_GROUP,
      row: { used: 'parent', findParent: ({ parent }) => toListedTarget(model, CONTACT_GROUP, parent) },
    },
    {
      kind: CONTACT,
      getValues: ({ title, phone, email, address, link }) => ({ title, phone, email, address, link }),
      row: {
        used: 'group groups title phone email address link',
        findParent: (object) => toListedTarget(model, CONTACT_GROUP, listGroups(object)[0]),
        listLines: (object) =>
          listGroups(object).flatMap((id, at) =>
            at > 0
              ? [{ key: 'group', value: model.label(CONTACT_GROUP, id) }]
              : listUnlisted(model, 'group', { kind: CONTACT_GROUP, id }),
          ),
      },
    },
  ]
}

/** The last ones are no contacts of today. An unknown word comes first. */
export const PRIORITIES: readonly unknown[] = ['primary', 'secondary', 'tertiary', undefined, 'inactive']

const buildKey = ({ kind, id }: Target): string => `${kind} ${id}`

/** Returns the name of the field of contacts with a role. */
const buildFieldName = (model: NetboxModel, role: unknown): string => {
  if (role === undefined) return 'contacts'
  const text = String(model.find(CONTACT_ROLE, role)?.slug ?? model.label(CONTACT_ROLE, role))
  return `contacts_${text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, 40)}`
}

/** The contacts of objects, by role and priority. */
export class Assignments {
  /** The roles of fields of contacts, by the names of the fields. */
  readonly roles = new Map<string, string>()
  readonly #byTarget = new Map<string, NetboxObject[]>()
  readonly #model: NetboxModel

  constructor(model: NetboxModel) {
    this.#model = model
    for (const assignment of model.of(ASSIGNMENT)) {
      const target = this.targetOf(assignment)
      if (!target) continue
      listIn(this.#byTarget, buildKey(target)).push(assignment)
      const { role } = assignment
      if (role !== undefined) this.roles.set(buildFieldName(model, role), model.label(CONTACT_ROLE, role))
    }
    for (const list of this.#byTarget.values())
      list.sort((a, b) => PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority) || a.id - b.id)
  }

  /** Returns the object of an assignment, if it and the contact are in the file. */
  targetOf(assignment: NetboxObject): Target | undefined {
    const { object_id: id, contact } = assignment
    // Before 4.0 the type has another name.
    const kind = assignment.object_type ?? assignment.content_type
    const isListed = typeof kind === 'string' && typeof id === 'number' && this.#model.isListed(kind, id)
    return isListed && toListedTarget(this.#model, CONTACT, contact) ? { kind, id } : undefined
  }

  get hasAny(): boolean {
    return this.#byTarget.size > 0
  }

  valuesOf(target: Target): Values {
    const values: Record<string, RowRef[]> = {}
    for (const { contact, role } of this.#byTarget.get(buildKey(target)) ?? []) {
      const name = buildFieldName(this.#model, role)
      const refs = values[name] ?? []
      values[name] = refs
      const ref = toRef(CONTACT, Number(contact))
      if (!refs.some((one) => one.ref === ref.ref)) refs.push(ref)
    }
    return values
  }
}
