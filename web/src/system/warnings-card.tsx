/** Stored objects that the rules of this version would refuse; nothing without any. */
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import type { Warning } from '../api/contracts.ts'
import { plural } from '../ui/format.ts'
import { Card } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import css from './system.module.css'

const WarningRow = ({ warning }: { readonly warning: Warning }) => (
  <tr>
    <td>{warning.name || <span className="mono">{warning.id}</span>}</td>
    <td>{warning.resource}</td>
    <td className={css.message}>{warning.message}</td>
  </tr>
)

export const WarningsCard = () => {
  const { data, error, refetch } = useQuery({ queryKey: ['warnings'], queryFn: () => api.system.warnings() })
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data || data.length === 0) return null
  return (
    <Card title={plural(data.length, 'warning')}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
      <section className={css.scroll} aria-label="Warnings" tabIndex={0}>
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">Object</th>
              <th scope="col">Resource</th>
              <th scope="col">Warning</th>
            </tr>
          </thead>
          <tbody>
            {data.map((warning) => (
              <WarningRow key={`${warning.kind} ${warning.id}`} warning={warning} />
            ))}
          </tbody>
        </table>
      </section>
    </Card>
  )
}
