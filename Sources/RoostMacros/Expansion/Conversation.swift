// SPDX-License-Identifier: Apache-2.0

/// What the compiler and the plugin behind `@Entity` say to each other.
///
/// The compiler starts one process for a module, sends it a message for each macro that it meets and closes the pipe
/// at the end.
package enum Conversation {
  /// Answers the messages on the standard input until it ends.
  package static func run() {
    let channel = MessageChannel()
    while let body = channel.receive() {
      guard channel.send(answer(to: body)) else { return }
    }
  }

  /// The answer to one message, whatever its bytes are.
  static func answer(to body: [UInt8]) -> [UInt8] {
    PluginReply.encoded(reply(to: body))
  }

  private static func reply(to body: [UInt8]) -> PluginReply {
    guard let message = HostMessage(body) else {
      return .failed("the plugin cannot read the compiler's message")
    }
    if message.getCapability != nil { return .capability }
    if message.loadPluginLibrary != nil { return .noLibrary }
    guard let request = message.expandAttachedMacro else {
      return .failed("the plugin has attached macros only")
    }
    return .expanded(Expansion(request).result(), in: request)
  }
}
