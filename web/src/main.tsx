/** Starts the web UI. */
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { AppError } from '../../src/contract/errors.ts'
import { queryClient } from './api/queries.ts'
import { router } from './routes.tsx'
import './styles/fonts.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/print.css'
import { followPrinting } from './print/printing.ts'
import { Toasts } from './ui/toast.tsx'

followPrinting()
const root = document.getElementById('root')
if (!root) throw new Error('index.html has the root')
// Ctrl Enter sends the form from every field of it.
document.addEventListener('keydown', ({ key, ctrlKey, metaKey, target, defaultPrevented }) => {
  if (key !== 'Enter' || !(ctrlKey || metaKey) || defaultPrevented) return
  if (target instanceof Element) target.closest('form')?.querySelector<HTMLElement>('[type=submit]')?.click()
})
// A transition renders in slices, so that keystrokes are handled during the first render.
startTransition(() =>
  createRoot(root, {
    // An error response that the page shows is not an error of the page.
    onCaughtError: (error) => {
      if (!(error instanceof AppError)) console.error(error)
    },
  }).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <Toasts>
          <RouterProvider router={router} />
        </Toasts>
      </QueryClientProvider>
    </StrictMode>,
  ),
)
