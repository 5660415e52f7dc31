/** A line in the dialog before a delete: how many devices would stop. */
import { useQuery } from '@tanstack/react-query'
import { formatImpactSummary } from '../../../../src/contract/impact-summary.ts'
import { usePermit } from '../../shell/me.ts'
import { impactQuery, type NamedIds } from './impact-query.ts'

/** The most objects that one call names. */
const MOST_NAMED = 1000

const FIELDS = { device: 'device_ids', datacenter: 'datacenter_ids', network: 'network_ids' } as const

export const isOfImpact = (noun: string): noun is keyof typeof FIELDS => Object.hasOwn(FIELDS, noun)

type Props = { readonly noun: keyof typeof FIELDS; readonly ids: readonly string[] }

/** Shows nothing if no device follows, or the user may not list relationships. */
export const DeleteImpact = ({ noun, ids }: Props) => {
  const named: NamedIds = { [FIELDS[noun]]: [...ids] }
  const isShown = usePermit().may('relationships:list') && ids.length > 0 && ids.length <= MOST_NAMED
  const { data } = useQuery({ ...impactQuery(named), enabled: isShown, staleTime: 0, gcTime: 0, retry: false })
  const summary = data ? formatImpactSummary(data.counts) : ''
  if (summary === '') return null
  return (
    <p role="status">
      <b>Impact:</b> without {ids.length === 1 ? 'it' : 'them'}, {summary}.
    </p>
  )
}
