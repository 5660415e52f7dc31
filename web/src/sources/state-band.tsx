/** The line above a source that needs a person: the reason of a failure, the numbers of one that is held, the command of a push. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { CodeBlock } from '../connect/code-block.tsx'
import { Band } from '../resource/object/band.tsx'
import { usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { toast, toastError } from '../ui/toast.tsx'
import { SOURCE_KEYS, type Source, type SourceKind } from './queries.ts'
import css from './sources.module.css'

/** Asks for a run. */
export const useRun = (id: string) => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (terms: { readonly force?: boolean }) => api.sources.run({ id, ...terms }),
    onSuccess: () => {
      for (const key of SOURCE_KEYS) void client.invalidateQueries({ queryKey: [key] })
    },
    onError: (error) => toastError('It is not read', error),
  })
}

const useEnable = (id: string) => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => api.sources.update({ id, enabled: true }),
    onSuccess: ({ name }) => {
      toast(`${name} is enabled again`)
      for (const key of SOURCE_KEYS) void client.invalidateQueries({ queryKey: [key] })
    },
    onError: (error) => toastError('It is still off', error),
  })
}

/** True if this server fetches the source; snapshots of others are pushed. */
export const isFetched = ({ url }: Source, kind: SourceKind | undefined): boolean =>
  kind?.is_pushed_only !== true && (url !== '' || (kind?.default_url ?? '') !== '')

type Props = {
  readonly source: Source
  readonly kind: SourceKind | undefined
  /** True if a test says more than the failure of before. */
  readonly isTested: boolean
}

/** The command that a person puts into a schedule of the other machine. */
const PushCard = ({ source }: Pick<Props, 'source'>) => (
  <div className={css.push}>
    <p>
      Snapshots of this source are pushed. Run this on a machine that reaches the system, with an API key that has only{' '}
      <code className="mono">sources:read</code> and <code className="mono">sources:push</code>:
    </p>
    <CodeBlock code={`PLAT_URL=${location.origin} PLAT_TOKEN=KEY plat source push ${source.id}`} label="command" />
  </div>
)

export const StateBand = ({ source, kind, isTested }: Props) => {
  const { blocked } = usePermit()
  const run = useRun(source.id)
  const enable = useEnable(source.id)
  const { status, status_message, enabled, is_running, last_run_at } = source
  if (!enabled)
    return (
      <Band tone="idle" mark="off">
        <span>It is not read.</span>
        <Button onClick={() => enable.mutate()} disabled={enable.isPending} blocked={blocked('sources:update')}>
          Enable
        </Button>
      </Band>
    )
  if (is_running)
    return (
      <Band tone="info" mark="reading …">
        <span>Nothing is changed there.</span>
      </Band>
    )
  if (status === 'failed')
    return isTested ? null : (
      <Band tone="bad" mark="failed">
        <span>
          {status_message.replace(/\.?$/, '.')} <span className="muted">Nothing was changed.</span>
        </span>
      </Band>
    )
  if (status === 'held')
    return (
      <Band tone="warn" mark="held">
        <span>{status_message}</span>
        {isFetched(source, kind) && (
          <Button onClick={() => run.mutate({ force: true })} disabled={run.isPending} blocked={blocked('sources:run')}>
            Read again and accept it
          </Button>
        )}
      </Band>
    )
  return last_run_at === null && kind && !isFetched(source, kind) ? <PushCard source={source} /> : null
}
