// Settings for what a merchant lets agents do.

// off: the shop is not available to agents. browse: agents find products and open checkouts, which shoppers pay on the page. buy: agents
// may also pay.
export const agentLevels = ['off', 'browse', 'buy'] as const
export type AgentLevel = (typeof agentLevels)[number]

// Which platforms may pay and read their own orders. anyone: in test mode only.
export const agentPayers = ['approved', 'signed', 'anyone'] as const
export type AgentPayers = (typeof agentPayers)[number]

export const platformStatuses = ['seen', 'approved', 'blocked'] as const
export type PlatformStatus = (typeof platformStatuses)[number]

// How a platform proves that the profile it names is its own.
export const platformProofs = ['signature', 'key'] as const
export type PlatformProof = (typeof platformProofs)[number]

// Supported version of the Agentic Commerce Protocol.
export const acpVersion = '2026-04-17'
