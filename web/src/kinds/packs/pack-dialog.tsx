/** Asks before a pack is installed, upgraded or uninstalled, and shows the change and the parts of the user that stay. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { toAppError } from '../../api/errors.ts'
import { CHANGED_KEYS } from '../../custom-fields/definition-resource.tsx'
import { ChangePreview } from '../../history/delete-preview.tsx'
import { useProposing, useReport } from '../../proposals/known-proposals.ts'
import { SubmitButtons } from '../../resource/form/submit-buttons.tsx'
import { NoteField } from '../../resource/note-field.tsx'
import tableCss from '../../table/table.module.css'
import { Button } from '../../ui/button.tsx'
import { Alert } from '../../ui/field.tsx'
import { plural } from '../../ui/format.ts'
import { Dialog, DialogActions } from '../../ui/layers.tsx'
import { Skeleton } from '../../ui/primitives.tsx'
import css from '../kinds.module.css'
import { installPack, type Kept, type Pack, previewQuery, previewUninstall, uninstallPack } from './packs.ts'

export type PackStep = { readonly kind: 'install' | 'upgrade' | 'uninstall'; readonly pack: Pack }

const VERBS = { install: 'Install', upgrade: 'Upgrade', uninstall: 'Uninstall' } as const
const DONE = { install: 'Installed', upgrade: 'Upgraded', uninstall: 'Uninstalled' } as const
const CHANGED = ['kinds', ...CHANGED_KEYS, 'me', 'history']

const KeptList = ({ kept }: { readonly kept: readonly Kept[] }) => (
  <section>
    <h3>Stays as you have it</h3>
    <ul>
      {kept.map(({ resource, name, field }) => (
        <li key={`${resource} ${name} ${field ?? ''}`}>
          {name}{' '}
          <span className="muted">
            {field === null || field === undefined ? 'all of it' : field.replaceAll('_', ' ')}
          </span>
        </li>
      ))}
    </ul>
  </section>
)

const InstallPreview = ({ pack }: { readonly pack: Pack }) => {
  const { data, error } = useQuery(previewQuery(pack.name))
  if (error) return <Alert>{toAppError(error).message}</Alert>
  if (!data) return <Skeleton />
  const { answer, change } = data
  const isNothing = answer.created + answer.updated + answer.removed === 0
  return (
    <div className={css.changes}>
      {isNothing ? <p role="status">Nothing changes.</p> : <ChangePreview change={change} />}
      {answer.kept.length > 0 && <KeptList kept={answer.kept} />}
    </div>
  )
}

const UninstallPreview = ({ pack }: { readonly pack: Pack }) => {
  const { data, error } = useQuery({
    queryKey: ['pack-preview', 'uninstall', pack.name],
    queryFn: () => previewUninstall(pack.name),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  if (error) return <Alert isWarning>{toAppError(error).message}</Alert>
  return data ? <ChangePreview change={data} /> : <Skeleton />
}

export const PackDialog = ({ step, onClose }: { readonly step: PackStep; readonly onClose: () => void }) => {
  const { kind, pack } = step
  const client = useQueryClient()
  const report = useReport()
  const proposing = useProposing(kind === 'uninstall' ? 'kinds:delete' : 'kinds:create')
  const [note, setNote] = useState('')
  const run = useMutation({
    mutationFn: () => (kind === 'uninstall' ? uninstallPack : installPack)(pack.name, note, proposing.field),
    onSuccess: (written) => {
      for (const key of CHANGED) void client.invalidateQueries({ queryKey: [key] })
      report(`${DONE[kind]} ${pack.title}`, written)
      onClose()
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!run.isPending) run.mutate()
  }
  return (
    <Dialog title={`${VERBS[kind]} ${pack.title}?`} onClose={onClose}>
      <form className={tableCss.dialogForm} onSubmit={submit}>
        <p className="muted">
          {kind === 'uninstall'
            ? 'Its kinds and fields go. Nothing of it may be in use.'
            : `It brings ${plural(pack.kinds.length, 'kind')} and ${plural(pack.fields, 'field')}. What you change of them stays yours.`}
        </p>
        {run.isError && <Alert>{toAppError(run.error).message}</Alert>}
        {!run.isError && (kind === 'uninstall' ? <UninstallPreview pack={pack} /> : <InstallPreview pack={pack} />)}
        <NoteField value={note} onChange={setNote} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButtons
            proposing={proposing}
            look={kind === 'uninstall' ? 'dangerFill' : 'primary'}
            disabled={run.isPending}
            action={VERBS[kind]}
          />
        </DialogActions>
      </form>
    </Dialog>
  )
}
