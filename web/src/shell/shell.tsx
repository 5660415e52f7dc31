/** The frame around every page of a signed-in user. */
import { Outlet, useNavigate, useRouterState, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { flushSync } from 'react-dom'
import { asOf, isOfProposal, readProposal } from '../api/as-of.ts'
import { setSignedOutListener } from '../api/connection.ts'
import { meQuery, queryClient } from '../api/queries.ts'
import { useStore } from '../api/store.ts'
import { isQuiet, useLive } from '../live/use-live.ts'
import { Palette } from '../palette/palette.tsx'
import { loadForm } from '../resource/load-form.ts'
import { cx } from '../ui/cx.ts'
import { moveStoredViews } from '../views/stored-views.ts'
import { Announcer } from './announcer.tsx'
import { Banner } from './banner.tsx'
import { isForPage, useHotkeys } from './hotkeys.ts'
import { usePermit } from './me.ts'
import { isOfSettings, NAV_ITEMS } from './nav.ts'
import { PageLoading } from './page-loading.tsx'
import { clockIsOpen, freeIsOpen, keysAreOpen, paletteIsOpen, startIsOpen, undoing } from './palette-state.ts'
import css from './shell.module.css'
import { Sidebar } from './sidebar.tsx'

const SettingsList = lazy(() =>
  import('../settings/settings-list.tsx').then((module) => ({ default: module.SettingsList })),
)
const KeySheet = lazy(() => import('./key-sheet.tsx').then((module) => ({ default: module.KeySheet })))
const NextFree = lazy(() => import('../addresses/next-free.tsx').then((module) => ({ default: module.NextFree })))
const Past = lazy(() => import('../history/past.tsx').then((module) => ({ default: module.Past })))
const Future = lazy(() => import('../proposals/future.tsx').then((module) => ({ default: module.Future })))
const StartDialog = lazy(() =>
  import('../proposals/start-dialog.tsx').then((module) => ({ default: module.StartDialog })),
)
const OwnNews = lazy(() => import('../proposals/own-news.tsx').then((module) => ({ default: module.OwnNews })))
const HistoryLayers = lazy(() => import('../history/layers.tsx').then((module) => ({ default: module.HistoryLayers })))

/** How long the second key of a chord is awaited after g. */
const CHORD_MS = 1200

/** Handles `g` followed by the key of a page. The capture phase comes first, because pages bind the second keys too. */
const useChords = (): void => {
  const navigate = useNavigate()
  useEffect(() => {
    let begunMs = 0
    const onKey = (event: KeyboardEvent) => {
      // The key of a page may be a capital letter.
      if (!isForPage(event) || event.key === 'Shift') return
      const place = Date.now() - begunMs < CHORD_MS ? NAV_ITEMS.find(({ key }) => key === event.key) : undefined
      begunMs = event.key === 'g' ? Date.now() : 0
      if (!place) return
      event.preventDefault()
      event.stopPropagation()
      void navigate({ to: place.to })
    }
    document.addEventListener('keydown', onKey, true)
    return () => document.removeEventListener('keydown', onKey, true)
  }, [navigate])
  const { mayPropose } = usePermit()
  useHotkeys({
    '?': () => keysAreOpen.set(true),
    t: () => clockIsOpen.set(true),
    ...(mayPropose && { p: () => startIsOpen.set(true) }),
  })
}

/** Loads the form before its first use, because keystrokes right after its key must reach it. It does not compete with the first page. */
const usePreload = (): void => {
  const isWanted = useStore(isQuiet)
  useEffect(() => {
    // A failure is shown when a form is opened.
    const load = () => void loadForm().catch(() => {})
    if (isWanted) load()
    addEventListener('keydown', load, { once: true })
    addEventListener('pointerdown', load, { once: true })
    return () => {
      removeEventListener('keydown', load)
      removeEventListener('pointerdown', load)
    }
  }, [isWanted])
}

/** Redirects to the sign-in page, which returns to the current page. */
const useSignedOut = (): void => {
  const navigate = useNavigate()
  useEffect(() => {
    setSignedOutListener(() => {
      const next = location.pathname + location.search
      queryClient.removeQueries({ queryKey: meQuery.queryKey })
      void navigate({ to: '/login', search: { next, expired: '1' }, replace: true })
    })
    return () => setSignedOutListener(() => {})
  }, [navigate])
}

const usePaletteKey = (): void => {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return
      event.preventDefault()
      // The letters that follow are for its field.
      flushSync(() => paletteIsOpen.set(!paletteIsOpen.get()))
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}

export const Shell = () => {
  const path = useRouterState({ select: (state) => state.location.pathname })
  const main = useRef<HTMLElement>(null)
  const shownPath = useRef(path)
  const moment = useStore(asOf)
  const { as_of } = useSearch({ strict: false })
  // The moment changes before the page does. The old page must not be shown at the new moment.
  const page = as_of === moment ? <Outlet key={moment} /> : <PageLoading />
  const isSettings = isOfSettings(path)
  const hasNews = useStore(isQuiet) && moment === undefined
  const isAsked = [useStore(clockIsOpen), useStore(undoing)].some(Boolean)
  useChords()
  useSignedOut()
  usePaletteKey()
  usePreload()
  useLive()
  useEffect(moveStoredViews, [])
  useEffect(() => {
    if (shownPath.current === path) return
    shownPath.current = path
    // Screen readers start at the beginning of the new page.
    main.current?.focus({ preventScroll: true })
  }, [path])
  return (
    <div className={cx(css.shell, isSettings && css.withList)}>
      <a className={css.skip} href="#content">
        Skip to content
      </a>
      <Sidebar />
      {isSettings && (
        <nav className={css.settings} aria-label="Settings">
          <Suspense>
            <SettingsList />
          </Suspense>
        </nav>
      )}
      <main id="content" ref={main} className={css.main} tabIndex={-1}>
        <Banner />
        {moment === undefined ? (
          page
        ) : (
          <Suspense fallback={<PageLoading />}>
            {isOfProposal(moment) ? (
              <Future id={readProposal(moment)} path={path}>
                {page}
              </Future>
            ) : (
              <Past path={path}>{page}</Past>
            )}
          </Suspense>
        )}
      </main>
      <Announcer />
      {useStore(paletteIsOpen) && <Palette />}
      <Suspense>
        {useStore(keysAreOpen) && <KeySheet />}
        {useStore(freeIsOpen) && <NextFree />}
        {useStore(startIsOpen) && <StartDialog />}
        {isAsked && <HistoryLayers />}
      </Suspense>
      {/* An open dialog does not wait for it. */}
      <Suspense>{hasNews && <OwnNews />}</Suspense>
    </div>
  )
}
