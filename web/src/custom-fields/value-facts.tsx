/** The values of custom fields of an object, by group. */
import { useQuery } from '@tanstack/react-query'
import { Card, Facts } from '../ui/primitives.tsx'
import { collectGroups, definitionsQuery, getUngrouped } from './definitions.ts'
import { loadNamesForRows } from './names.ts'
import { ValueView } from './value-view.tsx'
import { type FactsProps, getOwnValue, type RefNames } from './values.ts'

const NO_NAMES: RefNames = new Map()
const NONE: readonly never[] = []

export const ValueFacts = ({ resource, object, isPlain }: FactsProps) => {
  const { data = NONE } = useQuery(definitionsQuery)
  const definitions = data.filter((one) => one.resource === resource && getOwnValue(object, one) !== undefined)
  const { data: names = NO_NAMES } = useQuery({
    queryKey: ['custom-fields', 'names', resource, object.id, object.custom],
    queryFn: () => loadNamesForRows(definitions, [object]),
    enabled: definitions.some(({ type }) => type === 'reference'),
    structuralSharing: false,
  })
  const view = (one: (typeof definitions)[number]) => (
    <ValueView key={one.name} definition={one} value={getOwnValue(object, one)} names={names} />
  )
  if (isPlain)
    return definitions.map((one) => (
      <div key={one.name}>
        <dt>{one.label}</dt>
        <dd>{view(one)}</dd>
      </div>
    ))
  return collectGroups(definitions).map(([group, fields]) => (
    <Card key={group} title={group || getUngrouped(resource)}>
      <Facts facts={fields.map((one) => [one.label, view(one)] as const)} />
    </Card>
  ))
}
