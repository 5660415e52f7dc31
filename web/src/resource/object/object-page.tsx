/** The page of one object: its head with the actions, its tabs, the hints, its drawer, and the question before its deletion. */
import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { type LinkProps, Navigate, useNavigate } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { AppError } from '../../../../src/contract/errors.ts'
import type { AnyOperation } from '../../../../src/kernel/operation.ts'
import { CommandItems, useCommand } from '../../commands/command-menu.tsx'
import { isLabeled, LazyLabelDialog } from '../../print/lazy-labels.tsx'
import { useHotkeys } from '../../shell/hotkeys.ts'
import { type Hint, Hints, openClock, PageBody, PageHead } from '../../shell/page.tsx'
import { PageLoading } from '../../shell/page-loading.tsx'
import { type ListSearch, usePageSearch } from '../../table/list-search.ts'
import { Button, type ButtonProps } from '../../ui/button.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { isEmpty } from '../../ui/primitives.tsx'
import { Failure } from '../../ui/states.tsx'
import { type Tab, Tabs } from '../../ui/tabs.tsx'
import { useNarrow } from '../../ui/use-narrow.ts'
import type { Resource } from '../resource.ts'
import { ResourceDrawer } from '../resource-drawer.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import css from './object.module.css'
import { ObjectSide, type SideParts } from './object-side.tsx'

/** Most objects have no owner. Shown in a Suspense. */
export const ManagedBy = lazy(() => import('./managed-by.tsx').then((module) => ({ default: module.ManagedBy })))

/** The list that contains the object. */
export type Parent = { readonly text: string; readonly link: LinkProps }

/** Finds an object in the list that other pages have read. @returns the error NOT_FOUND without it */
/** Keeps a URL of before: its parameters belong to another tab than the first, or its tab is the form today. */
export const MovedTo = (search: Pick<ListSearch, 'tab' | 'edit'>) => (
  <Navigate to="." search={(old: object) => ({ ...old, ...search })} replace />
)

export const useListed = <T extends { readonly id: string }, Q = readonly T[], K extends QueryKey = QueryKey>(
  list: UseQueryOptions<Q, Error, readonly T[], K>,
  id: string,
) => {
  const { data, error, refetch } = useQuery(list)
  const object = data?.find((one) => one.id === id)
  return { object, error: data ? new AppError('NOT_FOUND', 'It is not in the list') : error, refetch }
}

type MissingProps = {
  /** `network` */
  readonly noun: string
  readonly parent: Parent
  /** The noun by default. */
  readonly title?: string
  readonly error: unknown
  readonly refetch: () => unknown
}

/** The page while its object is loaded, or where there is none. */
export const MissingObject = ({ noun, parent, title, error, refetch }: MissingProps) => (
  <>
    <PageHead title={title ?? `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`} parent={parent} />
    {error ? <Failure error={error} onRetry={() => void refetch()} noun={noun} /> : <PageLoading />}
  </>
)

type ObjectTab = Tab & {
  readonly content?: ReactNode
  /** Fills the window, as a table does; other content scrolls with the page. */
  readonly isFull?: boolean
  /** Keys act on its rows, and not on the object. It shows its own hints. */
  readonly hasKeys?: boolean
}

/** An empty text, null and false are left out. */
export type Fact = readonly [label: string, value: ReactNode]

const MOST_FACTS = 8

const Strip = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <dl className={css.strip}>
    {facts
      .filter(([, value]) => !isEmpty(value))
      .slice(0, MOST_FACTS)
      .map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)

/** A button of the page head. On a phone it is the first in the menu. */
export type Action = Pick<ButtonProps, 'look' | 'blocked' | 'disabled'> & {
  readonly text: string
  readonly onSelect: () => void
  /** The key, which the page acts on. */
  readonly shortcut?: string
}

type Props<T extends object> = {
  readonly noun: string
  readonly parent: Parent
  readonly id: string
  readonly title: string
  /** Reads the object. Its call is copied as a command. */
  readonly get: AnyOperation
  /** Undefined for an object that is never edited. */
  readonly edit?: { readonly blocked: string | undefined }
  readonly remove: {
    /** The permission that is missing, or another reason. */
    readonly blocked: string | undefined
    readonly warning?: string
    /** In the place of the question with the warning. */
    readonly dialog?: (close: () => void, leave: () => Promise<void>) => ReactNode
  }
  readonly resource?: Resource<T>
  /** The owner of an object that estate documents manage; '' without one. */
  readonly managedBy?: string
  /** In the place of the drawer of the resource. */
  readonly drawer?: (close: () => void) => ReactNode
  readonly actions?: readonly Action[]
  /** The first items of the menu. */
  readonly menu?: ReactNode
  readonly above?: ReactNode
  /** Beside the title: the subnet of a network. */
  readonly beside?: ReactNode
  /** The facts below the head: the first eight that are not empty. */
  readonly strip?: readonly Fact[]
  /** The right column of the first tab. */
  readonly side?: SideParts
  readonly tabs: readonly ObjectTab[]
  /** Content between the tabs and that of each. */
  readonly below?: ReactNode
  /** Lays out the content of a tab that is not full. */
  readonly body?: (content: ReactNode) => ReactNode
  readonly hints?: readonly Hint[]
  readonly children?: ReactNode
}

const EDIT: Hint = [['e'], 'edit']
const ALL_SHORTCUTS: Hint = [['?'], 'all shortcuts']

export const ObjectPage = <T extends object>(props: Props<T>) => {
  const {
    noun,
    parent,
    id,
    title,
    edit,
    remove,
    resource,
    managedBy = '',
    tabs,
    body,
    hints = [],
    actions = [],
  } = props
  const isNarrow = useNarrow()
  const { search, set } = usePageSearch()
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  const [isPrinting, setPrinting] = useState(false)
  // The noun of a kind may be that of a resource with labels.
  const hasLabels = isLabeled(noun) && props.side?.kind !== 'object'
  const getCall = useCommand(props.get, { id })
  const startEdit = () => void set({ edit: id })
  const startDelete = () => setDeleting(true)
  const stopDelete = () => setDeleting(false)
  const close = () => void set({ edit: undefined })
  const leave = () => navigate(parent.link)
  const mayEdit = edit !== undefined && edit.blocked === undefined
  const tab = tabs.find((one) => one.id === search.tab) ?? tabs[0]
  // A phone has no room for the facts above another tab.
  const isBrief = isNarrow && tab !== tabs[0]
  const content =
    props.side && tab && tab === tabs[0] ? (
      <div className={css.columns}>
        <div className={css.main}>{tab.content}</div>
        <ObjectSide id={id} {...props.side} />
      </div>
    ) : (
      tab?.content
    )
  useHotkeys(
    tab?.hasKeys
      ? {}
      : {
          ...(mayEdit ? { e: startEdit } : {}),
          ...(remove.blocked === undefined ? { '#': startDelete } : {}),
        },
  )
  const more = (
    <Button>
      More
      <ChevronDown size={14} aria-hidden="true" />
    </Button>
  )
  return (
    <>
      <PageHead title={title} beside={props.beside} parent={parent} isClockInMenu={isNarrow}>
        {!isNarrow &&
          actions.map(({ text, onSelect, shortcut, ...look }) => (
            <Button key={text} {...look} aria-keyshortcuts={shortcut} onClick={onSelect}>
              {text}
            </Button>
          ))}
        {edit && (
          <Button onClick={startEdit} blocked={edit.blocked}>
            Edit
            <kbd>e</kbd>
          </Button>
        )}
        <Menu trigger={more}>
          {isNarrow &&
            actions.map(({ text, onSelect, blocked }) => (
              <MenuItem key={text} onSelect={onSelect} blocked={blocked}>
                {text}
              </MenuItem>
            ))}
          {props.menu}
          {isNarrow && <MenuItem onSelect={openClock}>Show another moment</MenuItem>}
          {hasLabels && <MenuItem onSelect={() => setPrinting(true)}>Print labels…</MenuItem>}
          <CommandItems getCall={getCall} />
          <MenuLine />
          <MenuItem isDanger onSelect={startDelete} blocked={remove.blocked}>
            Delete {noun}
            <kbd>#</kbd>
          </MenuItem>
        </Menu>
      </PageHead>
      {managedBy !== '' && resource && !isBrief && (
        <Suspense>
          <ManagedBy owner={managedBy} id={id} resource={resource} blocked={edit?.blocked} />
        </Suspense>
      )}
      {props.above}
      {props.strip && !isBrief && <Strip facts={props.strip} />}
      {tabs.length > 1 && <Tabs label={`About this ${noun}`} current={tab?.id ?? ''} tabs={tabs} />}
      {props.below}
      {tab?.isFull ? content : (body?.(content) ?? <PageBody>{content}</PageBody>)}
      {!tab?.hasKeys && <Hints hints={[...(mayEdit ? [EDIT] : []), ...hints, ALL_SHORTCUTS]} />}
      {search.edit !== undefined &&
        (props.drawer?.(close) ??
          (resource && <ResourceDrawer resource={resource} id={id} onClose={close} blocked={edit?.blocked} />))}
      {isPrinting && isLabeled(noun) && <LazyLabelDialog kind={noun} ids={[id]} onClose={() => setPrinting(false)} />}
      {isDeleting &&
        (remove.dialog?.(stopDelete, leave) ??
          (resource && (
            <DeleteDialog
              resource={resource}
              id={id}
              name={title}
              deleteWarning={remove.warning ?? ''}
              onClose={stopDelete}
              onConfirmed={leave}
            />
          )))}
      {props.children}
    </>
  )
}
