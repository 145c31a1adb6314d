// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

extension AtomicSave {
  /// Records which participants have finished, so that the decider can forget the decision (step 5 of X3).
  func acknowledge(_ finished: [ChangeSetSplit.Part], _ ticket: SaveTicket) {
    let isWhole = finished.count == participants.count
    var participants = finished.map(\.store).filter(\.isDurable).map(\.identity.identifier)
    if !isWhole, self.participants.contains(where: { !$0.store.isDurable }) {
      return decider.store.saves.keepRegistration()
    }
    // When no participant outside of this coordinator exists, it acknowledges under the empty name.
    if ticket.participants.isEmpty { participants = [""] }
    decider.store.saves.acknowledge(
      participants.map { SaveAcknowledgement(save: ticket.id, participant: $0) })
  }
}
