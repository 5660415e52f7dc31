/** The definition of a kind: its switches, which take effect at once, and the editor of its fields. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ChevronDown, Plus } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import type { CustomField } from '../../../src/resource/custom/schema.ts'
import { call, getWritten } from '../api/client.ts'
import { contracts } from '../api/contracts.ts'
import { CommandItems, useCommand } from '../commands/command-menu.tsx'
import { FieldEditor } from '../custom-fields/editor/field-editor.tsx'
import { useDefinitions } from '../custom-fields/editor/use-definitions.ts'
import { useReport } from '../proposals/known-proposals.ts'
import { DeleteDialog } from '../resource/object/delete-dialog.tsx'
import { ManagedBy } from '../resource/object/object-page.tsx'
import { ResourceDrawer } from '../resource/resource-drawer.tsx'
import { useHotkeys } from '../shell/hotkeys.ts'
import { createForbidden, usePermit } from '../shell/me.ts'
import { type Hint, Hints, PageHead } from '../shell/page.tsx'
import { PageLoading } from '../shell/page-loading.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { toSentenceCase } from '../ui/format.ts'
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx'
import { Card, Facts } from '../ui/primitives.tsx'
import { Failure, State } from '../ui/states.tsx'
import { Switch } from '../ui/switch.tsx'
import { toastError } from '../ui/toast.tsx'
import { KindIcon } from './icons.tsx'
import { KIND_RESOURCE } from './kind-resource.tsx'
import css from './kinds.module.css'
import type { Kind } from './known-kinds.ts'
import { ALL_SWITCHES } from './switches.ts'

const HINTS: readonly Hint[] = [
  [['c'], 'create'],
  [['e'], 'edit'],
  [['Alt', '↑', '↓'], 'move the focused field'],
  [['?'], 'all shortcuts'],
]
const NONE: readonly CustomField[] = []

type KindProps = { readonly kind: Kind }

const KindCard = ({ kind }: KindProps) => {
  const client = useQueryClient()
  const { blocked } = usePermit()
  const report = useReport()
  const change = useMutation({
    mutationFn: (part: Partial<Kind>) => call(contracts.kinds.update, { id: kind.id, ...part }),
    onSuccess: (saved) => {
      for (const key of [...KIND_RESOURCE.changes, 'history']) void client.invalidateQueries({ queryKey: [key] })
      report(`Saved ${saved.name}`, getWritten(saved))
    },
    onError: (error) => toastError(`${kind.name} stays as it is`, error),
  })
  // The switch follows the click at once.
  const shown: Kind = { ...kind, ...(change.isPending && change.variables) }
  return (
    <Card title="The kind">
      <Facts
        facts={[
          ['Icon', <KindIcon key="icon" name={kind.icon} />],
          ['One of them', kind.singular],
          [
            'ID',
            <code key="id" className="mono">
              {kind.id}
            </code>,
          ],
          ['Description', kind.description],
        ]}
      />
      <div className={css.kindSwitches}>
        {ALL_SWITCHES.map(({ flag, label, example }) => (
          <div key={flag} className={css.switch}>
            <span>
              <b>{label}</b>
              <span className="muted">{example}</span>
            </span>
            <Switch
              label={label}
              isOn={shown[flag]}
              onChange={() => change.mutate({ [flag]: !shown[flag] })}
              blocked={blocked('kinds:update')}
            />
          </div>
        ))}
      </div>
    </Card>
  )
}

export const DefinitionTab = ({ kind, tabs }: KindProps & { readonly tabs: ReactNode }) => {
  const { id, name, singular } = kind
  const { set } = usePageSearch()
  const { may, blocked } = usePermit()
  const navigate = useNavigate()
  const [open, setOpen] = useState<'edit' | 'delete'>()
  const { data: all, error, refetch, reorder } = useDefinitions()
  const getCall = useCommand(contracts.kinds.get, { id })
  const close = () => setOpen(undefined)
  const create = () => void set({ new: '1' })
  const edit = () => setOpen('edit')
  const noCreate = blocked('custom-fields:create')
  const noUpdate = blocked('kinds:update')
  useHotkeys({ ...(noCreate === undefined ? { c: create } : {}), ...(noUpdate === undefined ? { e: edit } : {}) })
  const denied = may('custom-fields:list') ? undefined : createForbidden('custom-fields:list')
  const failure = denied ?? (all ? undefined : error)
  const more = (
    <Button>
      More
      <ChevronDown size={14} aria-hidden="true" />
    </Button>
  )
  return (
    <>
      <PageHead title={name}>
        <Button onClick={edit} blocked={noUpdate}>
          Edit
          <kbd>e</kbd>
        </Button>
        <Menu trigger={more}>
          <CommandItems getCall={getCall} />
          <MenuLine />
          <MenuItem
            isDanger
            onSelect={() => setOpen('delete')}
            blocked={may('kinds:delete') ? undefined : 'kinds:delete'}
          >
            Delete kind
          </MenuItem>
        </Menu>
        <Button look="primary" onClick={create} blocked={noCreate}>
          <Plus size={15} aria-hidden="true" />
          New field
        </Button>
      </PageHead>
      {tabs}
      {kind.managed_by !== '' && (
        <Suspense>
          <ManagedBy owner={kind.managed_by} id={id} resource={KIND_RESOURCE} blocked={noUpdate} />
        </Suspense>
      )}
      {failure && <Failure error={failure} onRetry={() => void refetch()} />}
      {!failure && !all && <PageLoading />}
      {!failure && all && (
        <FieldEditor
          {...{ all: all ?? NONE, resource: id, reorder }}
          isOwn
          beside={<KindCard kind={kind} />}
          empty={
            <State
              title="No fields yet"
              text={`A field is a value that each ${toSentenceCase(singular)} may have, beside its name and description.`}
            />
          }
          onSaved={() => void set({ new: undefined, edit: undefined })}
        />
      )}
      <Hints hints={HINTS} />
      {open === 'edit' && <ResourceDrawer resource={KIND_RESOURCE} id={id} onClose={close} blocked={noUpdate} />}
      {open === 'delete' && (
        <DeleteDialog
          resource={KIND_RESOURCE}
          id={id}
          name={name}
          deleteWarning="Its fields go with it. A kind with objects stays."
          onClose={close}
          onConfirmed={() => navigate({ to: '/kinds' })}
        />
      )}
    </>
  )
}
