/**
 * What the page shows, or a form would send, as a command to copy. Which call that is, is said here; how it is written comes
 * when it is asked for (command-text.ts).
 */
import { Terminal } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { AnyOperation } from '../../../src/platform/operation.ts'
import { createStore } from '../api/store.ts'
import { Button } from '../ui/button.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { toast, toastError } from '../ui/toast.tsx'

export type Call = {
  readonly op: AnyOperation
  readonly input: Readonly<Record<string, unknown>>
  /** What of the page the call does not say, in words. */
  readonly leftOut?: readonly string[]
}

/** Lists have more to say than fits here. */
export type ListCall = { readonly list: Readonly<Record<string, AnyOperation>>; readonly q: string }

export type Said = Call | ListCall
/** Undefined while there is nothing to send. */
export type Says = () => Said | undefined

/** What can be copied now: the last one is what is on top. */
const shown = createStore<readonly Says[]>([])

export const FORMS = [
  ['curl', 'Copy as curl'],
  ['plat', 'Copy as plat command'],
] as const
export type Form = (typeof FORMS)[number][0]

const copy = async (says: Says, form: Form): Promise<void> => {
  const said = says()
  if (!said) {
    toast('Nothing is changed yet')
    return
  }
  try {
    const { commandText } = await import('./command-text.ts')
    const { text, leftOut } = commandText(form, said)
    await navigator.clipboard.writeText(text)
    toast(`Copied the ${form} command`, leftOut.length === 0 ? {} : { description: `Without ${leftOut.join(', ')}` })
  } catch (error) {
    toastError('The command could not be copied', error)
  }
}

/** Of what is on top. @returns undefined where nothing can be copied */
export const copyShown = (): ((form: Form) => void) | undefined => {
  const says = shown.get().at(-1)
  return says && ((form) => void copy(says, form))
}

/** Offers the call to the palette for as long as the component is there. */
const useShown = (says: Says): Says => {
  const latest = useRef(says)
  latest.current = says
  useEffect(() => {
    const mine: Says = () => latest.current()
    shown.set([...shown.get(), mine])
    return () => shown.set(shown.get().filter((one) => one !== mine))
  }, [])
  return says
}

/** For the menu of an object. */
export const CommandItems = ({ says }: { readonly says: Says }) =>
  FORMS.map(([form, text]) => (
    <MenuItem key={form} onSelect={() => void copy(says, form)}>
      {text}
    </MenuItem>
  ))

/** Says what a page shows without a button of its own, for a page that has it in a menu. */
export const useCommand = (op: AnyOperation, input: Readonly<Record<string, unknown>>): Says =>
  useShown(() => ({ op, input }))

export const CommandMenu = ({ says }: { readonly says: Says }) => {
  useShown(says)
  const trigger = (
    <Button isIcon aria-label="Copy as a command" title="Copy as a command">
      <Terminal size={15} aria-hidden="true" />
    </Button>
  )
  return (
    <Menu trigger={trigger}>
      <CommandItems says={says} />
    </Menu>
  )
}
