/** Toasts at the corner of the window, some with an undo button. */
import { Toast as Base } from '@base-ui/react/toast'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { toAppError } from '../api/errors.ts'
import { Button } from './button.tsx'
import css from './toast.module.css'

const manager = Base.createToastManager()

/** How long a toast stays. */
const TOAST_MS = 6000

type Note = { readonly description?: string; readonly undo?: () => void; readonly type?: 'error' }

export const toast = (title: string, { description, undo, type }: Note = {}): void => {
  const id: string = manager.add({
    title,
    timeout: type === 'error' ? 2 * TOAST_MS : TOAST_MS,
    ...(type === 'error' ? { type, priority: 'high' as const } : {}),
    ...(description === undefined ? {} : { description }),
    ...(undo
      ? {
          actionProps: {
            children: 'Undo',
            onClick: () => {
              undo()
              manager.close(id)
            },
          },
        }
      : {}),
  })
}

export const toastError = (title: string, error: unknown): void => {
  toast(title, { description: toAppError(error).message, type: 'error' })
}

const List = () =>
  Base.useToastManager().toasts.map((one) => (
    <Base.Root key={one.id} toast={one} className={css.toast} swipeDirection={['right', 'down']}>
      <Base.Content className={css.content}>
        <div className={css.text}>
          <Base.Title className={css.title} />
          <Base.Description className={css.description} />
        </div>
        {one.actionProps && <Base.Action render={<Button />} />}
        <Base.Close render={<Button isIcon look="quiet" aria-label="Close" />}>
          <X size={14} aria-hidden="true" />
        </Base.Close>
      </Base.Content>
    </Base.Root>
  ))

export const Toasts = ({ children }: { readonly children: ReactNode }) => (
  <Base.Provider toastManager={manager} limit={4}>
    {children}
    <Base.Portal>
      <Base.Viewport className={css.viewport}>
        <List />
      </Base.Viewport>
    </Base.Portal>
  </Base.Provider>
)
