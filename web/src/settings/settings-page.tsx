/** Leads to the first page of the settings that the user may open. */
import { Navigate } from '@tanstack/react-router'
import { useMe } from '../shell/me.ts'
import { listSettings } from '../shell/shown-entries.ts'

export const SettingsPage = () => <Navigate to={listSettings(useMe())[0]?.pages[0]?.to ?? '/account'} replace />
