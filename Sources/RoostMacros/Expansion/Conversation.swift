// SPDX-License-Identifier: Apache-2.0

/// The message loop between the compiler and the plugin behind `@Entity`.
///
/// The compiler starts one process per module, sends it a message for each macro expansion and closes the pipe at the
/// end.
package enum Conversation {
  /// Answers the messages on the standard input until it ends.
  package static func run() {
    let channel = MessageChannel()
    while let body = channel.receive() {
      guard channel.send(answer(to: body)) else { return }
    }
  }

  /// Returns the reply to one message, whatever its bytes are.
  static func answer(to body: [UInt8]) -> [UInt8] {
    PluginReply.encoded(reply(to: body))
  }

  private static func reply(to body: [UInt8]) -> PluginReply {
    guard let message = HostMessage(body) else {
      return .failed("the plugin cannot read the compiler's message")
    }
    if message.getCapability != nil { return .capability }
    if message.loadPluginLibrary != nil { return .noLibrary }
    if let request = message.expandAttachedMacro {
      return .expanded(Expansion(request).result(), in: request.declSyntax)
    }
    guard let request = message.expandFreestandingMacro else {
      return .failed("the plugin does not know what the compiler asks")
    }
    return .expanded(KeyPathMacroCheck(request).expansion(), in: request.syntax)
  }
}
