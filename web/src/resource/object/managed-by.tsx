/** Shows the owner of an object that estate documents manage, and removes the owner on request. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { getWritten } from '../../api/client.ts'
import { useReport } from '../../proposals/known-proposals.ts'
import { usePermit } from '../../shell/me.ts'
import { Button } from '../../ui/button.tsx'
import { Badge } from '../../ui/primitives.tsx'
import { toastError } from '../../ui/toast.tsx'
import type { Input } from '../resource.ts'
import css from './managed-by.module.css'
import { describeOwner, findPack, findSourceId } from './pack-owner.ts'

/** The parts of a resource that are used here; methods, so that a resource of any type is one. */
type Managed = {
  readonly changes: readonly string[]
  get(id: string): Promise<{ readonly etag: string }>
  update(id: string, input: Input, etag: string): Promise<object>
  getName(value: object): string
  onSaved?(value: object): void
}

const SourceLink = ({ owner }: { readonly owner: string }) => {
  const { may } = usePermit()
  const id = findSourceId(owner)
  return id === undefined || !may('sources:read') ? null : (
    <Link to="/sources/$id" params={{ id }} search={{}} className="link">
      Show the source
    </Link>
  )
}

type Props = {
  readonly owner: string
  readonly id: string
  readonly resource: Managed
  readonly blocked: string | undefined
}

export const ManagedBy = ({ owner, id, resource, blocked }: Props) => {
  const client = useQueryClient()
  const report = useReport()
  const isKept = findPack(owner) !== undefined || findSourceId(owner) !== undefined
  const letGo = useMutation({
    mutationFn: async () => {
      const { etag } = await resource.get(id)
      return resource.update(id, { managed_by: '' }, etag)
    },
    onSuccess: (value) => {
      if (!report(`${owner} no longer manages ${resource.getName(value)}`, getWritten(value))) return
      for (const key of [...resource.changes, 'history']) void client.invalidateQueries({ queryKey: [key] })
      resource.onSaved?.(value)
    },
    onError: (error) => toastError('It is still managed', error),
  })
  return (
    <div className={css.bar}>
      {isKept ? (
        <span className="muted">
          {describeOwner(owner)} <SourceLink owner={owner} />
        </span>
      ) : (
        <>
          <Badge tone="info">Managed by {owner}</Badge>
          <span className="muted">Changes made here are put back by its next apply.</span>
        </>
      )}
      <Button onClick={() => letGo.mutate()} disabled={letGo.isPending} blocked={blocked}>
        Let go
      </Button>
    </div>
  )
}
