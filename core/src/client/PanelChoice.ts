/** The virtual panel that limits a result. */
import { PanelId } from "../contract/Ids.ts"

/** The panel that holds every gene. */
export const allGenes: PanelId = PanelId.make("1")

/** Names no panel: the service then takes the one that this user chose last for this person, which the API does not show. */
export const serversChoice: unique symbol = Symbol.for("svc-steps/core/client/serversChoice")
/** The type of {@link serversChoice}. */
export type ServersChoice = typeof serversChoice

/** Which virtual panel limits a result. */
export interface PanelChoice {
  /** {@link allGenes} when absent. */
  readonly virtualPanelId?: PanelId | ServersChoice
}

/** The query parameter for a choice. */
export const panelQuery = ({ virtualPanelId = allGenes }: PanelChoice): { readonly virtualPanelId?: PanelId } =>
  virtualPanelId === serversChoice ? {} : { virtualPanelId }
