/** Copies the call of a page or form as a command, formatted by a module that is loaded on use. */
import { Terminal } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { AnyOperation } from '../../../src/kernel/operation.ts'
import { createStore } from '../api/store.ts'
import { Button } from '../ui/button.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { toast, toastError } from '../ui/toast.tsx'
import { FORMS, type Form, type GetCall } from './call.ts'

/** The calls that can be copied. The last one belongs to the topmost layer. */
const shown = createStore<readonly GetCall[]>([])

const copy = async (getCall: GetCall, form: Form): Promise<void> => {
  const call = getCall()
  if (!call) {
    toast('Nothing is changed yet')
    return
  }
  try {
    const { formatCommand } = await import('./command-text.ts')
    const { text, leftOut } = formatCommand(form, call)
    await navigator.clipboard.writeText(text)
    toast(`Copied the ${form} command`, leftOut.length === 0 ? {} : { description: `Without ${leftOut.join(', ')}` })
  } catch (error) {
    toastError('The command could not be copied', error)
  }
}

/** Copies the call of the topmost layer. @returns undefined if nothing can be copied */
export const copyShown = (): ((form: Form) => void) | undefined => {
  const getCall = shown.get().at(-1)
  return getCall && ((form) => void copy(getCall, form))
}

/** Offers the call in the palette while the component is mounted. */
const useShown = (getCall: GetCall): GetCall => {
  const latest = useRef(getCall)
  latest.current = getCall
  useEffect(() => {
    const mine: GetCall = () => latest.current()
    shown.set([...shown.get(), mine])
    return () => shown.set(shown.get().filter((one) => one !== mine))
  }, [])
  return getCall
}

/** The items for the menu of an object. */
export const CommandItems = ({ getCall }: { readonly getCall: GetCall }) =>
  FORMS.map(([form, text]) => (
    <MenuItem key={form} onSelect={() => void copy(getCall, form)}>
      {text}
    </MenuItem>
  ))

/** Registers the call of a page that has it in a menu instead of a button. */
export const useCommand = (op: AnyOperation, input: Readonly<Record<string, unknown>>): GetCall =>
  useShown(() => ({ op, input }))

export const CommandMenu = ({ getCall }: { readonly getCall: GetCall }) => {
  useShown(getCall)
  const trigger = (
    <Button isIcon aria-label="Copy as a command" title="Copy as a command">
      <Terminal size={15} aria-hidden="true" />
    </Button>
  )
  return (
    <Menu trigger={trigger}>
      <CommandItems getCall={getCall} />
    </Menu>
  )
}
