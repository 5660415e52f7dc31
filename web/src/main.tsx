/** Starts the web UI. */
import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { AppError } from '../../src/platform/contract/errors.ts'
import { queryClient } from './api/queries.ts'
import { router } from './routes.tsx'
import './styles/fonts.css'
import './styles/tokens.css'
import './styles/base.css'
import { Toasts } from './ui/toast.tsx'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has the root')
// As a transition, so that the first picture is drawn in slices and a key pressed meanwhile is heard.
startTransition(() =>
  createRoot(root, {
    // An answer of the server that the page shows in its place is not an error of the page's own.
    onCaughtError: (error) => {
      if (!(error instanceof AppError)) console.error(error)
    },
  }).render(
    <StrictMode>
      {/* The policy of the page has no room for style elements. */}
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queryClient}>
          <Toasts>
            <RouterProvider router={router} />
          </Toasts>
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  ),
)
