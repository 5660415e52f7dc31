/** The drawer that defines a kind: its name, icon and fields, beside them the form that they make. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type SubmitEvent, useMemo, useRef, useState } from 'react'
import { call, getWritten } from '../api/client.ts'
import { contracts } from '../api/contracts.ts'
import { getFieldErrors, toAppError } from '../api/errors.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import customCss from '../custom-fields/custom-fields.module.css'
import { CHANGED_KEYS, listTargets } from '../custom-fields/definition-resource.tsx'
import { FieldControls } from '../custom-fields/value-fields.tsx'
import { type Proposing, useProposing, useReport } from '../proposals/known-proposals.ts'
import { SubmitButtons } from '../resource/form/submit-buttons.tsx'
import { useIsInUse, usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { drafts } from '../ui/drafts.ts'
import fieldCss from '../ui/field.module.css'
import { Alert, Checkbox, TextField } from '../ui/field.tsx'
import { Drawer } from '../ui/layers.tsx'
import { Card } from '../ui/primitives.tsx'
import { describeName, EMPTY, type KindDraft, toDefinitions, toInput, toRowErrors } from './draft.ts'
import { FieldRows } from './field-rows.tsx'
import { IconRow } from './icon-row.tsx'
import { noteDefined } from './just-defined.ts'
import css from './kinds.module.css'
import { kindsQuery } from './known-kinds.ts'
import { SWITCHES } from './switches.ts'

const DRAFT = 'new kind'
const NONE: readonly never[] = []
const CHANGED = ['kinds', ...CHANGED_KEYS, 'me', 'history']

const SUBMIT_KEYS = navigator.platform.startsWith('Mac') ? '⌘↵' : '^↵'

/** The form that the objects will have. */
const Preview = ({ draft }: { readonly draft: KindDraft }) => {
  const [value, setValue] = useState('')
  const [name, setName] = useState('')
  const definitions = useMemo(() => toDefinitions(draft), [draft])
  const singular = describeName(draft.name).split(',')[0] || 'The form'
  return (
    <Card title={singular}>
      <div className={customCss.form}>
        <TextField label="Name" required value={name} onChange={setName} />
        {draft.nested && <TextField label="Parent" value="" onChange={() => {}} readOnly placeholder="None" />}
        {draft.located && <TextField label="Datacenter" value="" onChange={() => {}} readOnly placeholder="None" />}
        <FieldControls definitions={definitions} value={value} onChange={setValue} errors={{}} isNew />
      </div>
    </Card>
  )
}

type SwitchesProps = { readonly draft: KindDraft; readonly onChange: (part: Partial<KindDraft>) => void }

const Switches = ({ draft, onChange }: SwitchesProps) => (
  <div className={css.switches}>
    {SWITCHES.map(({ flag, label, example }) => (
      <div key={flag} className={customCss.check}>
        <label htmlFor={`kind-${flag}`}>
          <Checkbox
            id={`kind-${flag}`}
            checked={draft[flag]}
            aria-describedby={`kind-${flag}-note`}
            onChange={({ target }) => onChange({ [flag]: target.checked })}
          />
          {label}
        </label>
        <p id={`kind-${flag}-note`} className={fieldCss.hint}>
          {example}
        </p>
      </div>
    ))}
  </div>
)

/** Defines the kind, and opens its page. */
const useDefine = (draft: KindDraft, proposing: Proposing, onClose: () => void) => {
  const client = useQueryClient()
  const navigate = useNavigate()
  const report = useReport()
  return useMutation({
    mutationFn: () => call(contracts.kinds.create, { ...toInput(draft), ...proposing.field }),
    onSuccess: async (kind) => {
      drafts.drop(DRAFT)
      if (!report(`Defined ${kind.name}`, getWritten(kind))) return onClose()
      noteDefined(kind.id)
      // Its page has them at once.
      await Promise.all(CHANGED.map((key) => client.invalidateQueries({ queryKey: [key] })))
      await navigate({ to: '/kinds/$id', params: { id: kind.id } })
    },
  })
}

export const NewKind = ({ onClose }: { readonly onClose: () => void }) => {
  const [draft, setDraft] = useState<KindDraft>(() => drafts.get<KindDraft>(DRAFT) ?? EMPTY)
  const { blocked } = usePermit()
  const proposing = useProposing('kinds:create')
  const { data: kinds = NONE } = useQuery({ ...kindsQuery, enabled: useIsInUse('kinds') })
  const define = useDefine(draft, proposing, onClose)
  const form = useRef<HTMLFormElement>(null)
  const targets = useMemo(() => listTargets(kinds), [kinds])
  const errors = getFieldErrors(define.error)
  const rowErrors = toRowErrors(draft, errors)
  const nameError = errors.name ?? errors.id
  const isKnown = nameError !== undefined || rowErrors.size > 0
  const change = (part: Partial<KindDraft>) => {
    const next = { ...draft, ...part }
    setDraft(next)
    drafts.keep(DRAFT, next)
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!define.isPending) define.mutate()
  }
  const toFields = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    form.current?.querySelector<HTMLElement>('[data-row] input')?.focus()
  }
  return (
    <Drawer title="New kind" onClose={onClose} isWide>
      <form ref={form} className={fieldCss.form} onSubmit={submit} noValidate>
        <div className={fieldCss.body}>
          {define.isError && !isKnown && <Alert>{toAppError(define.error).message}</Alert>}
          <div className={css.columns}>
            <div className={fieldCss.fields}>
              <TextField
                label="Name"
                required
                placeholder="Circuits"
                hint={describeName(draft.name) || 'In the plural, as the list is called'}
                error={nameError}
                value={draft.name}
                onChange={(name) => change({ name })}
                onKeyDown={toFields}
              />
              <IconRow value={draft.icon} onChange={(icon) => change({ icon })} />
              <Switches draft={draft} onChange={change} />
              <FieldRows
                fields={draft.fields}
                targets={targets}
                errors={rowErrors}
                onChange={(fields) => change({ fields })}
              />
            </div>
            <Preview draft={draft} />
          </div>
        </div>
        <footer className={fieldCss.foot}>
          <SubmitButtons
            proposing={proposing}
            disabled={define.isPending}
            blocked={blocked('kinds:create')}
            action="Create kind"
          >
            <span aria-hidden="true">
              <kbd data-keys={SUBMIT_KEYS} />
            </span>
          </SubmitButtons>
          <Button onClick={onClose}>Cancel</Button>
          <span className={fieldCss.footEnd}>
            <CommandMenu getCall={() => ({ op: contracts.kinds.create, input: { ...toInput(draft) } })} />
          </span>
        </footer>
      </form>
    </Drawer>
  )
}
