/** The order of resources in two menus. A resource that is not named here comes last, in the order of the registry. */
import { RESOURCES, type Resource } from '../../../src/inventory/resources.ts'

type Facts = (typeof RESOURCES)[number]

const sortBy = (first: readonly Resource[], facts: readonly Facts[]): readonly Facts[] => {
  const computeRank = ({ name }: Facts) => (first.includes(name) ? first.indexOf(name) : first.length)
  return facts.toSorted((a, b) => computeRank(a) - computeRank(b))
}

/** In the order of the import page. */
export const IMPORTED: readonly Facts[] = sortBy(
  [
    ...(['devices', 'datacenters', 'spaces', 'vlans', 'networks', 'pools', 'reservations', 'relationships'] as const),
    ...(['device-types', 'racks', 'ports', 'cables'] as const),
  ],
  RESOURCES,
)

/** The resources of objects with custom fields, in the order of their editor. */
export const WITH_CUSTOM: readonly Facts[] = sortBy(
  ['devices', 'reservations', 'networks', 'vlans', 'pools', 'datacenters', 'racks', 'ports', 'cables'],
  RESOURCES.filter((facts) => 'custom' in facts),
)
